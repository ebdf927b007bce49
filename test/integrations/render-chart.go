// Renders the templates of a chart with Go's text/template, which Helm uses, and the functions that the chart calls. Reads
// {"Values": …, "Chart": …, "Release": …} from standard input: go run render-chart.go FOLDER
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

func main() {
	var data map[string]interface{}
	check(json.NewDecoder(os.Stdin).Decode(&data))
	root := template.New("chart").Option("missingkey=error")
	root.Funcs(template.FuncMap{
		"include": func(name string, value interface{}) (string, error) {
			var text bytes.Buffer
			err := root.ExecuteTemplate(&text, name, value)
			return text.String(), err
		},
		"nindent": func(width int, text string) string {
			indent := "\n" + strings.Repeat(" ", width)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		// JSON is YAML.
		"toYaml": func(value interface{}) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
		"quote": func(value interface{}) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"trunc": func(length int, text string) string {
			if len(text) > length {
				return text[:length]
			}
			return text
		},
		"default": func(otherwise interface{}, value interface{}) interface{} {
			if truth, _ := template.IsTrue(value); truth {
				return value
			}
			return otherwise
		},
		"int": func(value float64) int { return int(value) },
		"dict": func(pairs ...interface{}) map[string]interface{} {
			made := map[string]interface{}{}
			for i := 0; i < len(pairs); i += 2 {
				made[pairs[i].(string)] = pairs[i+1]
			}
			return made
		},
	})
	files, err := filepath.Glob(filepath.Join(os.Args[1], "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = root.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "_") || strings.HasSuffix(file, ".txt") != (len(os.Args) > 2) {
			continue
		}
		fmt.Println("---")
		check(root.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
