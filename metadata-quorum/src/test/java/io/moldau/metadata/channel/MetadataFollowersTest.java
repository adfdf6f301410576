package io.moldau.metadata.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.metadata.channel.MetadataFollowers.Key;
import io.moldau.metadata.quorum.QuorumDescription.Replica;
import org.junit.jupiter.api.Test;

class MetadataFollowersTest {

    private static final Key FIVE = new Key(5, new Uuid(1, 1));

    private final MetadataFollowers followers = new MetadataFollowers();

    @Test
    void aFollowerIsAsFarAsItLastAskedAndCaughtUpWhenItAskedForTheFuture() {
        followers.fetched(FIVE, 10, 20, 1_000, false);
        assertThat(followers.list(1_500)).containsExactly(new Replica(5, new Uuid(1, 1), 10, 1_000, -1));
        followers.fetched(FIVE, 21, 20, 2_000, true);
        assertThat(followers.list(2_500))
                .as("one that waits here is up to date")
                .containsExactly(new Replica(5, new Uuid(1, 1), 21, 2_500, 2_500));
        followers.answered(FIVE, 3_000);
        followers.fetched(FIVE, 22, 40, 4_000, false);
        assertThat(followers.list(4_000)).containsExactly(new Replica(5, new Uuid(1, 1), 22, 4_000, 3_000));
    }

    @Test
    void aReplacedDiskIsAnotherFollower() {
        followers.fetched(FIVE, 10, 20, 1_000, false);
        followers.fetched(new Key(5, new Uuid(2, 2)), 0, 20, 1_001, false);
        assertThat(followers.list(1_001))
                .extracting(Replica::directoryId)
                .containsExactly(new Uuid(1, 1), new Uuid(2, 2));
    }

    @Test
    void whoIsSilentIsForgottenUnlessItWaitsHere() {
        followers.fetched(FIVE, 10, 20, 0, false);
        followers.fetched(new Key(6, Uuid.ZERO), 21, 20, 0, true);
        followers.fetched(new Key(-1, Uuid.ZERO), 21, 20, 0, true);
        assertThat(followers.list(MetadataFollowers.FORGET_AFTER_MS + 1))
                .extracting(Replica::nodeId)
                .containsExactly(6);
    }
}
