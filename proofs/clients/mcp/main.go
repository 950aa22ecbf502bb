// The Go SDK: lists the tools and calls one.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type bearer string

func (token bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	if token != "" {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+string(token))
	}
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "prove", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   os.Getenv("BERTH_URL"),
		HTTPClient: &http.Client{Transport: bearer(os.Getenv("BERTH_TOKEN"))},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range listed.Tools {
		fmt.Print(tool.Name, " ")
	}
	called, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "wallet.balance", Arguments: map[string]any{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(called.Content[0].(*mcp.TextContent).Text)
}
