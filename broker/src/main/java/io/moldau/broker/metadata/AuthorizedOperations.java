package io.moldau.broker.metadata;

/// Which operations a principal may do, as bit fields over Kafka's operation codes (KIP-430). Without an authorizer
/// everybody may do everything.
public final class AuthorizedOperations {

    /// Nobody asked.
    public static final int NOT_ASKED = Integer.MIN_VALUE;

    private static final int READ = 3;
    private static final int WRITE = 4;
    private static final int CREATE = 5;
    private static final int DELETE = 6;
    private static final int ALTER = 7;
    private static final int DESCRIBE = 8;
    private static final int CLUSTER_ACTION = 9;
    private static final int DESCRIBE_CONFIGS = 10;
    private static final int ALTER_CONFIGS = 11;
    private static final int IDEMPOTENT_WRITE = 12;

    public static final int TOPIC = bits(READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS);

    public static final int CLUSTER =
            bits(CREATE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE);

    private AuthorizedOperations() {}

    private static int bits(int... operations) {
        int bits = 0;
        for (int operation : operations) {
            bits |= 1 << operation;
        }
        return bits;
    }
}
