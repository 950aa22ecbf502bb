// OpenAI's SDK for Go, in streams and errors that scripted providers make hard.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

type call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type result struct {
	Text  string `json:"text"`
	Calls []call `json:"calls"`
	Total int64  `json:"total"`
}

type failure struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

var ctx = context.Background()
var city = map[string]any{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}}
var names = []string{"weather", "time"}

func clientWith(key string) openai.Client {
	return openai.NewClient(
		option.WithBaseURL(os.Getenv("BASE")+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0),
	)
}

func chat(client openai.Client, model, words string) (result, error) {
	params := openai.ChatCompletionNewParams{
		Model:         model,
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage(words)},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	for _, name := range names {
		tool := openai.FunctionDefinitionParam{Name: name, Parameters: city}
		params.Tools = append(params.Tools, openai.ChatCompletionFunctionTool(tool))
	}
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	answer := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !answer.AddChunk(stream.Current()) {
			return result{}, errors.New("a chunk does not belong to the answer")
		}
	}
	if stream.Err() != nil {
		return result{}, stream.Err()
	}
	message := answer.Choices[0].Message
	made := result{Text: message.Content, Calls: []call{}, Total: answer.Usage.TotalTokens}
	for _, each := range message.ToolCalls {
		made.Calls = append(made.Calls, call{each.Function.Name, each.Function.Arguments})
	}
	return made, nil
}

func respond(client openai.Client, model, words string) (result, error) {
	params := responses.ResponseNewParams{
		Model: model,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(words)},
	}
	for _, name := range names {
		tool := responses.FunctionToolParam{Name: name, Parameters: city, Strict: openai.Bool(false)}
		params.Tools = append(params.Tools, responses.ToolUnionParam{OfFunction: &tool})
	}
	stream := client.Responses.NewStreaming(ctx, params)
	made := result{Calls: []call{}}
	for stream.Next() {
		switch event := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			made.Text += event.Delta
		case responses.ResponseOutputItemDoneEvent:
			if event.Item.Type == "function_call" {
				item := event.Item.AsFunctionCall()
				made.Calls = append(made.Calls, call{item.Name, item.Arguments})
			}
		case responses.ResponseCompletedEvent:
			made.Total = event.Response.Usage.TotalTokens
		}
	}
	return made, stream.Err()
}

func main() {
	rich, poor := clientWith(os.Getenv("KEY")), clientWith(os.Getenv("POOR"))
	ask := map[string]func(openai.Client, string, string) (result, error){"chat": chat, "responses": respond}
	var cases []struct{ Check, Format, Model, Words, Wallet string }
	if err := json.Unmarshal([]byte(os.Getenv("CASES")), &cases); err != nil {
		panic(err)
	}
	for _, each := range cases {
		client := rich
		if each.Wallet == "empty" {
			client = poor
		}
		if each.Format == "none" {
			say(each.Check, nil, client.Post(ctx, "nothing-here", map[string]any{}, nil))
			continue
		}
		made, err := ask[each.Format](client, each.Model, each.Words)
		say(each.Check, made, err)
	}
}

func say(check string, made any, err error) {
	var refused *openai.Error
	if errors.As(err, &refused) {
		made = failure{refused.StatusCode, refused.Code, refused.Message}
	} else if err != nil {
		made = err.Error()
	}
	said, _ := json.Marshal(made)
	line, _ := json.Marshal(map[string]string{"check": check, "said": string(said)})
	fmt.Println(string(line))
}
