package io.moldau.wire.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaReaderTest {

    private static final String FIELD = "{\"type\":\"data\",\"name\":\"M\",\"validVersions\":\"0-2\",\"fields\":[%s]}";

    private static MessageSchema read(String text) {
        return new SchemaReader().read("M.json", text);
    }

    @Test
    void readsWhatASchemaSays() {
        var schema = read("""
                // A comment, as the schemas have them.
                {
                  "apiKey": 7, "type": "request", "name": "FooRequest", "listeners": ["broker"],
                  "validVersions": "1-4", "flexibleVersions": "3+", "latestVersionUnstable": true,
                  "commonStructs": [
                    { "name": "Point", "versions": "0+", "fields": [
                      { "name": "X", "type": "int32", "versions": "0+", "default": "-1" } ] } ],
                  "fields": [
                    { "name": "Id", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null",
                      "ignorable": true, "flexibleVersions": "none", "about": "Who it is." },
                    { "name": "Points", "type": "[]Point", "versions": "3+", "taggedVersions": "4+", "tag": 2 },
                    { "name": "Inner", "type": "Inner", "versions": "1+", "fields": [
                      { "name": "Y", "type": "uint16", "versions": "1+" } ] }
                  ]
                }
                """);

        assertThat(schema.className()).isEqualTo("FooRequestData");
        assertThat(schema.validVersions()).isEqualTo(new VersionRange(1, 4));
        assertThat(schema.latestVersionUnstable()).isTrue();
        assertThat(schema.listeners()).containsExactly("broker");
        assertThat(schema.structs())
                .extracting(MessageSchema.StructSchema::name)
                .containsExactly("Point", "Inner");
        var id = schema.fields().get(0);
        assertThat(id.javaName()).isEqualTo("id");
        assertThat(id.flexibleVersions()).isEqualTo(VersionRange.NONE);
        assertThat(id.nullable()).isTrue();
        assertThat(id.defaultsToNull()).isTrue();
        var points = schema.fields().get(1);
        assertThat(points.inlineVersions()).isEqualTo(new VersionRange(3, 3));
        assertThat(points.type().javaName()).isEqualTo("List<Point>");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'name':'A','type':'int32','versions':'0+','colour':'red'}  | unknown attribute 'colour' in A",
                "{'name':'A','type':'int33','versions':'0+'}                 | unknown type 'int33'",
                "{'name':'A','type':'Point','versions':'0+'}                 | unknown type 'Point'",
                "{'name':'A','type':'[]bytes','versions':'0+'}               | arrays of bytes",
                "{'name':'A','type':'int8','versions':'0+','nullableVersions':'0+'} | cannot be null",
                "{'name':'A','type':'string','versions':'0+','default':'null'} | is not nullable",
                "{'name':'A','type':'int8','versions':'0+','tag':1}          | needs both tag and taggedVersions",
                "{'name':'A','versions':'0+'}                                | 'type' is missing in A",
                "{'name':'A','type':'int8','versions':'0+','fields':[]}      | its type is no struct",
            })
    void aSchemaThatCannotBeRightIsRefused(String field, String reason) {
        assertThatThrownBy(() -> read(FIELD.formatted(field.replace('\'', '"'))))
                .isInstanceOf(SchemaException.class)
                .hasMessageStartingWith("M.json: ")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource({"int8, 128", "int16, -32769", "uint16, -1", "int32, 0x80000000", "uint16, 65536"})
    void aDefaultThatDoesNotFitIsRefused(String type, String value) {
        var schema = read(FIELD.formatted(
                "{\"name\":\"A\",\"type\":\"%s\",\"versions\":\"0+\",\"default\":\"%s\"}".formatted(type, value)));

        assertThatThrownBy(() -> MessageWriter.write(schema, "p"))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("does not fit");
    }

    @Test
    void apisWithoutVersionsAreLeftOutAndUnstableVersionsHidden() {
        var request = "{\"apiKey\":%d,\"type\":\"request\",\"name\":\"%sRequest\",\"listeners\":[\"broker\"],"
                + "\"validVersions\":\"%s\",\"flexibleVersions\":\"2+\",\"latestVersionUnstable\":%s,\"fields\":[]}";
        var response = "{\"apiKey\":%d,\"type\":\"response\",\"name\":\"%sResponse\",\"validVersions\":\"%s\","
                + "\"flexibleVersions\":\"2+\",\"fields\":[]}";
        var source = ApiKeysWriter.write(
                List.of(
                        read(request.formatted(18, "ApiVersions", "0-4", false)),
                        read(response.formatted(18, "ApiVersions", "0-4")),
                        read(request.formatted(22, "InitProducerId", "0-6", true)),
                        read(response.formatted(22, "InitProducerId", "0-6")),
                        read(request.formatted(4, "LeaderAndIsr", "none", false)),
                        read(response.formatted(4, "LeaderAndIsr", "none"))),
                "p",
                "q");

        assertThat(source)
                .contains("API_VERSIONS(18, \"ApiVersions\", 0, 4, 2, 32767, true, false),")
                .contains("INIT_PRODUCER_ID(22, \"InitProducerId\", 0, 5, 2, 2, true, false),")
                .doesNotContain("LEADER_AND_ISR");
    }
}
