// Status, wallet, a top-up and a chat message, by the client that oapi-codegen made.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	berth "example.com/prove/berth"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func until(done func() bool) {
	for range 600 {
		if done() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	log.Fatal("gave up waiting")
}

func main() {
	ctx := context.Background()
	withToken := berth.WithRequestEditorFn(func(_ context.Context, asked *http.Request) error {
		asked.Header.Set("Authorization", "Bearer "+os.Getenv("BERTH_TOKEN"))
		return nil
	})
	client := must(berth.NewClientWithResponses(os.Getenv("BERTH_URL")+"/api", withToken))

	status := must(client.GetInstanceStatusWithResponse(ctx)).JSON200
	balance := func() int64 { return must(client.GetWalletWithResponse(ctx)).JSON200.BalanceMicros }
	before := balance()
	asked := berth.CreateWalletTopupJSONRequestBody{AmountCents: 500}
	checkout := must(client.CreateWalletTopupWithResponse(ctx, nil, asked)).JSON200
	must(http.Post(checkout.Url+"/pay", "", nil))
	until(func() bool { return balance() > before })
	text := "When is the tide?"
	body := berth.SendMessageJSONRequestBody{Text: &text}
	sent := must(client.SendMessageWithResponse(ctx, nil, body)).JSON202.Message
	answer := ""
	until(func() bool {
		page := must(client.ListMessagesWithResponse(ctx, &berth.ListMessagesParams{After: &sent.Id})).JSON200
		for _, one := range page.Messages {
			if one.Role == "agent" {
				answer = one.Text
			}
		}
		return answer != ""
	})
	refused := must(client.GetSkillWithResponse(ctx, "none"))
	if refused.JSON404 == nil || refused.JSON404.Error != "not-found" {
		log.Fatal(string(refused.Body))
	}
	fmt.Printf("%s, %d to %d µUSD, answered %d characters\n", status.Instance.State, before, balance(), len(answer))
}
