// Status, wallet, a top-up and a chat message, by the client that openapi-generator made for Go.
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

func must[T any](value T, _ *http.Response, err error) T {
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
	configuration := berth.NewConfiguration()
	configuration.Servers = berth.ServerConfigurations{{URL: os.Getenv("BERTH_URL") + "/api"}}
	client := berth.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), berth.ContextAccessToken, os.Getenv("BERTH_TOKEN"))

	status := must(client.InstanceAPI.GetInstanceStatus(ctx).Execute())
	balance := func() int64 { return must(client.WalletAPI.GetWallet(ctx).Execute()).BalanceMicros }
	before := balance()
	asked := *berth.NewCreateWalletTopupRequest(500)
	checkout := must(client.WalletAPI.CreateWalletTopup(ctx).CreateWalletTopupRequest(asked).Execute())
	if _, err := http.Post(checkout.Url+"/pay", "", nil); err != nil {
		log.Fatal(err)
	}
	until(func() bool { return balance() > before })
	message := *berth.NewSendMessageRequest()
	message.SetText("When is the tide?")
	sent := must(client.ChatAPI.SendMessage(ctx).SendMessageRequest(message).Execute()).Message
	answer := ""
	until(func() bool {
		for _, one := range must(client.ChatAPI.ListMessages(ctx).After(sent.Id).Execute()).Messages {
			if one.Role == "agent" {
				answer = one.Text
			}
		}
		return answer != ""
	})
	_, _, thrown := client.CatalogueAPI.GetSkill(ctx, "none").Execute()
	refusal, isTyped := thrown.(*berth.GenericOpenAPIError)
	if !isTyped {
		log.Fatal(thrown)
	}
	if refused, isError := refusal.Model().(berth.Error); !isError || refused.Error != "not-found" {
		log.Fatal(string(refusal.Body()))
	}
	fmt.Printf("%s, %d to %d µUSD, answered %d characters\n", status.Instance.Get().State, before, balance(), len(answer))
}
