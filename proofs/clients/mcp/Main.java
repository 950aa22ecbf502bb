// The Java SDK: lists the tools and calls one.
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.net.URI;
import java.util.Map;

public class Main {
    public static void main(String[] args) {
        var url = URI.create(System.getenv("BERTH_URL"));
        var token = System.getenv("BERTH_TOKEN");
        var transport = HttpClientStreamableHttpTransport.builder(url.resolve("/").toString())
            .endpoint(url.getPath())
            .httpRequestCustomizer((request, method, endpoint, body, context) -> {
                if (token != null) request.setHeader("Authorization", "Bearer " + token);
            })
            .build();
        try (var client = McpClient.sync(transport).build()) {
            client.initialize();
            client.listTools().tools().forEach(tool -> System.out.print(tool.name() + " "));
            var called = client.callTool(CallToolRequest.builder("wallet.balance").arguments(Map.of()).build());
            System.out.println(((TextContent) called.content().get(0)).text());
        }
    }
}
