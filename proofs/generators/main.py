"""Status, wallet, a top-up and a chat message, by the client that openapi-generator made for Python."""

import os
import time
import urllib.request

import berth_client as berth

configuration = berth.Configuration(
    host=f"{os.environ['BERTH_URL']}/api", access_token=os.environ["BERTH_TOKEN"]
)


def until(ask):
    for _ in range(600):
        if found := ask():
            return found
        time.sleep(0.1)
    raise SystemExit("gave up waiting")


with berth.ApiClient(configuration) as client:
    status = berth.InstanceApi(client).get_instance_status()
    wallet = berth.WalletApi(client)
    before = wallet.get_wallet().balance_micros
    checkout = wallet.create_wallet_topup(berth.CreateWalletTopupRequest(amount_cents=500))
    urllib.request.urlopen(f"{checkout.url}/pay", data=b"").read()
    after = until(lambda: (now := wallet.get_wallet().balance_micros) > before and now)
    chat = berth.ChatApi(client)
    sent = chat.send_message(send_message_request=berth.SendMessageRequest(text="When is the tide?")).message
    answer = until(
        lambda: next((one for one in chat.list_messages(after=sent.id).messages if one.role == "agent"), None)
    )
    try:
        wallet.get_transaction("txn_01KAHB2N3P4Q5R6S7T8V9WXYZ0")
        raise SystemExit("a transaction was found that never was")
    except berth.exceptions.NotFoundException as refused:
        assert refused.data.error == "not-found", refused
    print(f"{status.instance.state}, {before} to {after} µUSD, answered {len(answer.text)} characters")
