package io.moldau.ops.cli;

import io.moldau.ops.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// How a record is written in a line: literal text with `%k` key, `%v` value, `%o` offset, `%p`
/// partition, `%t` topic, `%T` timestamp, `%h` headers, `%%` a percent sign, `\n` and `\t`.
final class RecordFormat {

    private static final String LETTERS = "kvoptTh%";

    private final String format;

    /// @throws ToolException if a letter is unknown
    RecordFormat(String format) {
        this.format = format.replace("\\n", "\n").replace("\\t", "\t");
        for (int i = this.format.indexOf('%'); i >= 0; i = this.format.indexOf('%', i + 2)) {
            if (i + 1 == this.format.length() || LETTERS.indexOf(this.format.charAt(i + 1)) < 0) {
                throw new ToolException(
                        "The format '" + format + "' has an unknown letter after %.",
                        "Known are %k key, %v value, %o offset, %p partition, %t topic, %T timestamp, %h headers, %%.");
            }
        }
    }

    String of(ConsumerRecord<byte[], byte[]> record) {
        var line = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%') {
                line.append(c);
                continue;
            }
            i++;
            switch (format.charAt(i)) {
                case 'k' -> line.append(text(record.key()));
                case 'v' -> line.append(text(record.value()));
                case 'o' -> line.append(record.offset());
                case 'p' -> line.append(record.partition());
                case 't' -> line.append(record.topic());
                case 'T' -> line.append(record.timestamp());
                case 'h' -> line.append(headers(record));
                default -> line.append('%');
            }
        }
        return line.toString();
    }

    private static String headers(ConsumerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().spliterator(), false)
                .map(header -> header.key() + "=" + text(header.value()))
                .collect(Collectors.joining(","));
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "null" : new String(bytes, StandardCharsets.UTF_8);
    }

    /// The record in one line of JSON. What is no UTF-8 is in base64, under a name that says so.
    static String json(ConsumerRecord<byte[], byte[]> record) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("topic", record.topic());
        json.put("partition", record.partition());
        json.put("offset", record.offset());
        json.put("timestamp", record.timestamp());
        put(json, "key", record.key());
        put(json, "value", record.value());
        List<Map<String, @Nullable Object>> headers = StreamSupport.stream(
                        record.headers().spliterator(), false)
                .map(RecordFormat::json)
                .toList();
        if (!headers.isEmpty()) {
            json.put("headers", headers);
        }
        return Json.line(json);
    }

    private static Map<String, @Nullable Object> json(Header header) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", header.key());
        put(json, "value", header.value());
        return json;
    }

    private static void put(Map<String, @Nullable Object> json, String name, byte @Nullable [] bytes) {
        if (bytes == null) {
            json.put(name, null);
            return;
        }
        try {
            json.put(
                    name,
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException e) {
            json.put(name + "Base64", Base64.getEncoder().encodeToString(bytes));
        }
    }
}
