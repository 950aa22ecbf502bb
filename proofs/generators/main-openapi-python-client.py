"""Status, wallet, a top-up, a chat message and an error, by the client that openapi-python-client made."""

import os
import time
import urllib.request

from berth_client import AuthenticatedClient
from berth_client.api.catalogue import get_skill
from berth_client.api.chat import list_messages, send_message
from berth_client.api.instance import get_instance_status
from berth_client.api.wallet import create_wallet_topup, get_wallet
from berth_client.models import CreateWalletTopupBody, Error, SendMessageBody

client = AuthenticatedClient(base_url=f"{os.environ['BERTH_URL']}/api", token=os.environ["BERTH_TOKEN"])


def until(ask):
    for _ in range(600):
        if found := ask():
            return found
        time.sleep(0.1)
    raise SystemExit("gave up waiting")


status = get_instance_status.sync(client=client)
before = get_wallet.sync(client=client).balance_micros
checkout = create_wallet_topup.sync(client=client, body=CreateWalletTopupBody(amount_cents=500))
urllib.request.urlopen(f"{checkout.url}/pay", data=b"").read()
after = until(lambda: (now := get_wallet.sync(client=client).balance_micros) > before and now)
sent = send_message.sync(client=client, body=SendMessageBody(text="When is the tide?")).message


def answered():
    page = list_messages.sync(client=client, after=sent.id)
    return next((one for one in page.messages if one.role == "agent"), None)


answer = until(answered)
refused = get_skill.sync("none", client=client)
assert isinstance(refused, Error) and refused.error == "not-found", refused
print(f"{status.instance.state}, {before} to {after} µUSD, answered {len(answer.text)} characters")
