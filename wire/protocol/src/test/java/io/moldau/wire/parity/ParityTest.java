package io.moldau.wire.parity;

import static io.moldau.wire.parity.MessageBytes.decode;
import static io.moldau.wire.parity.MessageBytes.encode;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.UnsupportedFieldException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.junit.jupiter.api.Test;

/// Every message in every version: what we write, Kafka reads and writes again as the same bytes, and the other way.
class ParityTest {

    @FunctionalInterface
    private interface Check {
        void accept(Class<? extends Message> type, KafkaTwin twin, short version);
    }

    private static void forEveryVersion(Check check) {
        for (var type : MessageClasses.all()) {
            var twin = KafkaTwin.of(type);
            var message = MessageClasses.create(type);
            for (short v = message.lowestSupportedVersion(); v <= message.highestSupportedVersion(); v++) {
                try {
                    check.accept(type, twin, v);
                } catch (RuntimeException | AssertionError e) {
                    throw new AssertionError(type.getSimpleName() + " version " + v, e);
                }
            }
        }
    }

    @Test
    void theSetOfMessagesIsNotEmptyAndCoversEveryApi() {
        assertThat(MessageClasses.all()).hasSizeGreaterThan(190);
        for (var key : ApiKey.values()) {
            assertThat(MessageClasses.all())
                    .contains(key.newRequest().getClass(), key.newResponse().getClass());
        }
    }

    @Seeds(count = 12)
    void whatWeWriteKafkaReadsAndWritesAgain(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion((type, twin, version) -> {
            var ours = MessageClasses.create(type);
            new RandomMessages(random).fill(ours, twin.schema(version));
            var bytes = encode(ours, version);

            var theirs = twin.decode(bytes, version);

            KafkaTwin.assertSame(type.getSimpleName(), ours, theirs);
            assertThat(KafkaTwin.encode(theirs, version)).isEqualTo(bytes);
        });
    }

    @Seeds(count = 12)
    void whatKafkaWritesWeReadAndWriteAgain(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion((type, twin, version) -> {
            var model = MessageClasses.create(type);
            new RandomMessages(random).fill(model, twin.schema(version));
            var theirs = twin.copyOf(model);
            var bytes = KafkaTwin.encode(theirs, version);

            var ours = decode(type, bytes, version);

            KafkaTwin.assertSame(type.getSimpleName(), ours, theirs);
            assertThat(ours).isEqualTo(model).hasSameHashCodeAs(model);
            assertThat(encode(ours, version)).isEqualTo(bytes);
        });
    }

    @Test
    void aNewMessageHoldsKafkasDefaults() {
        for (var type : MessageClasses.all()) {
            var twin = KafkaTwin.of(type);
            KafkaTwin.assertSame(type.getSimpleName(), MessageClasses.create(type), twin.create());
        }
    }

    @Seeds(count = 40)
    void fieldsThatAVersionLacksAreDroppedOrRefusedAsInKafka(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion((type, twin, version) -> {
            var ours = new RandomMessages(random).sparse(type, random.nextDouble(0.4));
            byte[] expected;
            try {
                expected = KafkaTwin.encode(twin.copyOf(ours), version);
            } catch (RuntimeException refused) {
                // Kafka's exception is one of several, among them NullPointerException.
                expected = new byte[] {-1};
            }
            byte[] actual;
            try {
                actual = encode(ours, version);
            } catch (UnsupportedFieldException refused) {
                actual = new byte[] {-1};
            }
            assertThat(actual).as("%s", ours).isEqualTo(expected);
        });
    }

    @Seeds(count = 4)
    void unknownTaggedFieldsArePassedOn(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion((type, twin, version) -> {
            var schema = twin.schema(version);
            boolean flexible =
                    Arrays.stream(schema.fields()).anyMatch(field -> field.def.name.equals("_tagged_fields"));
            if (!flexible) {
                return;
            }
            var model = MessageClasses.create(type);
            new RandomMessages(random).fill(model, schema);
            var theirs = twin.copyOf(model);
            theirs.unknownTaggedFields().add(new RawTaggedField(100, new byte[] {1, 2, 3}));
            theirs.unknownTaggedFields().add(new RawTaggedField(20_000, new byte[0]));
            var bytes = KafkaTwin.encode(theirs, version);

            var ours = decode(type, bytes, version);

            assertThat(ours.toString()).isNotEmpty();
            assertThat(encode(ours, version)).isEqualTo(bytes);
        });
    }

    @Test
    void apiKeysHaveKafkasVersionsAndHeaders() {
        for (var theirs : ApiKeys.values()) {
            var ours = ApiKey.forId(theirs.id);
            if (!theirs.hasValidVersion()) {
                assertThat(ours).as("%s", theirs).isNull();
                continue;
            }
            assertThat(ours).as("%s", theirs).isNotNull();
            if (ours == null) {
                return;
            }
            assertThat(ours.name()).isEqualTo(theirs.name());
            assertThat(ours.apiName()).isEqualTo(theirs.name);
            assertThat(ours.lowestVersion()).as("%s", theirs).isEqualTo(theirs.oldestVersion());
            assertThat(ours.highestVersion()).as("%s", theirs).isEqualTo(theirs.latestVersion(false));
            assertThat(ours.onBroker()).as("%s", theirs).isEqualTo(theirs.inScope(ListenerType.BROKER));
            assertThat(ours.onController()).as("%s", theirs).isEqualTo(theirs.inScope(ListenerType.CONTROLLER));
            for (short v = ours.lowestVersion(); v <= ours.highestVersion() + 3; v++) {
                assertThat(ours.requestHeaderVersion(v))
                        .as("%s %s", theirs, v)
                        .isEqualTo(theirs.requestHeaderVersion(v));
                assertThat(ours.responseHeaderVersion(v))
                        .as("%s %s", theirs, v)
                        .isEqualTo(theirs.responseHeaderVersion(v));
            }
        }
        assertThat(ApiKey.values()).hasSize((int)
                Arrays.stream(ApiKeys.values()).filter(ApiKeys::hasValidVersion).count());
        assertThat(ApiKey.forId(-1)).isNull();
        assertThat(ApiKey.forId(10_000)).isNull();
    }
}
