package io.moldau.ops.cli;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Message;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.Id;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Messages of protobuf as values for [Json], under the names of their schema. Identifiers are written as clients see
/// them.
final class ProtoJson {

    private ProtoJson() {}

    /// Every field that is set, or is not at its default.
    static Map<String, Object> of(Message message) {
        Map<String, Object> json = new LinkedHashMap<>();
        message.getAllFields().forEach((field, value) -> json.put(field.getName(), value(value)));
        return json;
    }

    private static Object value(Object value) {
        return switch (value) {
            case Id id -> new Uuid(id.getHigh(), id.getLow()).toString();
            case Message message -> of(message);
            case List<?> list -> list.stream().map(ProtoJson::value).toList();
            case EnumValueDescriptor constant -> constant.getName();
            case ByteString bytes -> Base64.getEncoder().encodeToString(bytes.toByteArray());
            default -> value;
        };
    }
}
