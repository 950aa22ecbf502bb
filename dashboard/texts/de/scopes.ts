import type { scopes as English } from '../en/scopes.ts'

export const scopes: typeof English = {
  'mcp:*': 'Alle MCP-Werkzeuge',
  'mcp:wallet.read': 'Guthaben und Buchungen sehen',
  'mcp:wallet.write': 'Eine Kasse zum Aufladen öffnen',
  'mcp:instance.read': 'Den Zustand der Instanz sehen',
  'mcp:instance.write': 'Anhalten, wecken, neu starten, das Modell wechseln',
  'mcp:personas.read': 'Personas auflisten',
  'mcp:personas.write': 'Die Persona wechseln',
  'mcp:skills.read': 'Skills auflisten und lesen',
  'api:tokens.write': 'Jedes Token des Kontos widerrufen',
  'api:chat': 'Nachrichten senden und lesen',
  'api:instance': 'Protokolle, Dateien, Variablen, Wiederherstellungspunkte',
  'api:channels': 'Die Chats sehen, verknüpfen und trennen, in denen du sprichst',
  'api:hooks': 'Webhooks anlegen und löschen, die den Agenten fragen oder von Ereignissen hören',
  'api:llm': 'Modelle aufrufen, vom Guthaben bezahlt',
}
