package dev.slipway.upload;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the JSON of a server: objects as maps, arrays as lists, numbers as Double. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Returns an empty map if the text is not a JSON object. */
    static Map<?, ?> object(String text) {
        try {
            Json json = new Json(text);
            Object value = json.value(0);
            json.blanks();
            return value instanceof Map<?, ?> map && json.at == text.length() ? map : Map.of();
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException error) {
            return Map.of();
        }
    }

    private Object value(int depth) {
        if (depth > 100) throw new IllegalArgumentException("too deep");
        blanks();
        char first = text.charAt(at);
        if (first == '{') return map(depth);
        if (first == '[') return list(depth);
        if (first == '"') return string();
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        if (word.equals("null")) return null;
        return word.equals("true") || word.equals("false") ? (Object) word.equals("true") : (Object) Double.valueOf(word);
    }

    private Map<String, Object> map(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        blanks();
        while (text.charAt(at) != '}') {
            if (!map.isEmpty()) expect(',');
            blanks();
            String name = string();
            expect(':');
            map.put(name, value(depth + 1));
            blanks();
        }
        at++;
        return map;
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<>();
        at++;
        blanks();
        while (text.charAt(at) != ']') {
            if (!list.isEmpty()) expect(',');
            list.add(value(depth + 1));
            blanks();
        }
        at++;
        return list;
    }

    private String string() {
        expect('"');
        StringBuilder read = new StringBuilder();
        for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
            if (next != '\\') {
                read.append(next);
                continue;
            }
            char escaped = text.charAt(at++);
            int plain = "bfnrt".indexOf(escaped);
            if (escaped == 'u') {
                read.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                read.append(plain < 0 ? escaped : "\b\f\n\r\t".charAt(plain));
            }
        }
        return read.toString();
    }

    private void expect(char wanted) {
        blanks();
        if (text.charAt(at++) != wanted) throw new IllegalArgumentException("no " + wanted);
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }
}
