package io.moldau.ops.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.TestMetadata;
import io.moldau.ops.state.SafeToStop.Quorum;
import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeToStopTest {

    private static final Quorum THREE = new Quorum(Set.of(1, 2, 3), Set.of(1, 2, 3));

    /// Three brokers; node 1 is asked about.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // replicas | isr     | min | safe
                "1 2 3      | 1 2 3   | 2   | true",
                "1 2 3      | 1 2 3   | 3   | false",
                "1 2 3      | 1 2     | 2   | false",
                "1 2 3      | 1 2     | 1   | true",
                "1 2 3      | 1       | 1   | false",
                "1          | 1       | 1   | false",
                "1          | 1       | 2   | false",
                "1 2        | 1 2     | 2   | false",
                // More is asked for than there are replicas: as many as there are.
                "1 2        | 1 2     | 3   | false",
                // It lags: whoever goes, it is missed already.
                "1 2 3      | 2 3     | 2   | true",
                "1 2 3      | 2       | 2   | true",
                // Not its partition.
                "2 3        | 2 3     | 2   | true",
                // Below the minimum already, and this one is needed all the same.
                "1 2 3      | 1 3     | 3   | false",
            })
    void aPartitionKeepsItsMinimum(String replicas, String isr, int min, boolean safe) {
        var metadata = new TestMetadata()
                .broker(1, false, "PLAINTEXT")
                .broker(2, false, "PLAINTEXT")
                .broker(3, false, "PLAINTEXT")
                .topic("t")
                .partition("t", 0, ids(isr).getFirst(), ids(replicas), ids(isr))
                .publish();

        var verdict = SafeToStop.verdict(1, false, metadata.cache().image(), null, topic -> min);

        assertThat(verdict.safe()).isEqualTo(safe);
        assertThat(verdict.blockedPartitions()).isEqualTo(safe ? 0 : 1);
        if (!safe) {
            assertThat(verdict.reasons()).singleElement().asString().startsWith("t-0 would");
        }
    }

    @Test
    void aBrokerThatIsFencedOrUnknownKeepsNothingUp() {
        var metadata = new TestMetadata()
                .broker(1, false, "PLAINTEXT")
                .broker(2, true, "PLAINTEXT")
                .topic("t")
                .partition("t", 0, 1, List.of(1, 2, 3), List.of(1, 2, 3))
                .publish();

        assertThat(SafeToStop.verdict(1, false, metadata.cache().image(), null, topic -> 1)
                        .reasons())
                .containsExactly("t-0 would be offline");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // voters    | alive     | safe
                "1           | 1         | false",
                "1 2         | 1 2       | false",
                "1 2 3       | 1 2 3     | true",
                "1 2 3       | 1 2       | false",
                "1 2 3       | 2 3       | true",
                "1 2 3 4     | 1 2 3 4   | true",
                "1 2 3 4     | 1 2 3     | false",
                "1 2 3 4 5   | 1 2 3 4   | true",
                "1 2 3 4 5   | 1 2 3     | false",
                // Not a voter.
                "2 3 4       | 2 3       | true",
                "2 3 4       | 2         | true",
                // Heard of, but no voter.
                "1 2 3       | 1 2 4 5 6 | false",
            })
    void theQuorumKeepsItsMajority(String voters, String alive, boolean safe) {
        var quorum = new Quorum(Set.copyOf(ids(voters)), Set.copyOf(ids(alive)));

        var verdict =
                SafeToStop.verdict(1, true, TestMetadata.oneBroker().cache().image(), quorum, topic -> 1);

        assertThat(verdict.safe()).isEqualTo(safe);
        assertThat(verdict.quorumBlocked()).isEqualTo(!safe);
    }

    @Test
    void aQuorumThatDoesNotAnswerIsAReasonForItsVotersOnly() {
        var image = TestMetadata.oneBroker().cache().image();

        assertThat(SafeToStop.verdict(1, true, image, null, topic -> 1).safe()).isFalse();
        assertThat(SafeToStop.verdict(1, false, image, null, topic -> 1).safe()).isTrue();
    }

    @Test
    void onlySoManyReasonsAreSpelledOut() {
        var metadata = TestMetadata.oneBroker().topic("t", 100).publish();

        var verdict = SafeToStop.verdict(1, true, metadata.cache().image(), THREE, topic -> 1);

        assertThat(verdict.blockedPartitions()).isEqualTo(100);
        assertThat(verdict.reasons()).hasSize(21).last().isEqualTo("and 80 more partitions");
    }

    /// The same question by counting, over clusters at random.
    @Seeds(count = 200)
    void agreesWithStoppingItAndLooking(long seed) {
        var random = new Random(seed);
        int brokers = 1 + random.nextInt(5);
        var metadata = new TestMetadata();
        Set<Integer> active = new HashSet<>();
        for (int id = 1; id <= brokers; id++) {
            boolean fenced = id > 1 && random.nextInt(4) == 0;
            metadata.broker(id, fenced, "PLAINTEXT");
            if (!fenced) {
                active.add(id);
            }
        }
        metadata.topic("t");
        int min = 1 + random.nextInt(3);
        boolean broken = false;
        for (int partition = 0; partition < 4; partition++) {
            List<Integer> replicas = some(brokers, random);
            List<Integer> isr = new ArrayList<>(replicas.subList(0, 1 + random.nextInt(replicas.size())));
            metadata.partition("t", partition, isr.getFirst(), replicas, isr);
            List<Integer> left = new ArrayList<>(isr);
            left.retainAll(active);
            left.remove((Integer) 1);
            broken |= isr.contains(1) && left.size() < Math.min(min, replicas.size());
        }

        var image = metadata.publish().cache().image();

        assertThat(SafeToStop.verdict(1, false, image, null, topic -> min).safe())
                .isEqualTo(!broken);
    }

    private static List<Integer> some(int brokers, Random random) {
        List<Integer> all = new ArrayList<>();
        for (int id = 1; id <= brokers; id++) {
            all.add(id);
        }
        Collections.shuffle(all, random);
        return all.subList(0, 1 + random.nextInt(brokers));
    }

    private static List<Integer> ids(@Nullable String words) {
        List<Integer> ids = new ArrayList<>();
        for (String word : String.valueOf(words).strip().split(" +")) {
            ids.add(Integer.valueOf(word));
        }
        return ids;
    }
}
