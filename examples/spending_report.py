"""Prints the spending of the last 30 days by model, as a Markdown table: `python3 spending_report.py`."""

import json
import os
import sys
import urllib.error
import urllib.request

url = os.environ.get("BERTH_URL", "http://127.0.0.1:8787")


def read(path):
    request = urllib.request.Request(
        url + "/api" + path, headers={"Authorization": "Bearer " + os.environ["BERTH_TOKEN"]}
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def dollars(micros):
    return f"${micros / 1_000_000:,.4f}"


try:
    usage = read("/wallet/usage?by=model")
    wallet = read("/wallet")
except urllib.error.HTTPError as refusal:
    sys.exit("{error}: {message}".format(**json.load(refusal)))

print("| model | calls | cost |\n|---|---|---|")
for row in sorted(usage["usage"], key=lambda row: -row["amountMicros"]):
    print(f"| {row['key']} | {row['calls']} | {dollars(row['amountMicros'])} |")
print(f"| **all** | {usage['total']['calls']} | {dollars(usage['total']['amountMicros'])} |")
print(f"\nThe wallet has {dollars(wallet['balanceMicros'])}.")
