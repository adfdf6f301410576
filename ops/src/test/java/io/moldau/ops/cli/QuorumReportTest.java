package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.ops.json.Json;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.QuorumReport.Address;
import io.moldau.ops.report.QuorumReport.Quorum;
import io.moldau.ops.report.QuorumReport.Replica;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class QuorumReportTest {

    private static final long NOW = 1_000_000;

    private final QuorumReport report = QuorumReport.of("cluster-1", Quorums.THREE, Quorums.REGISTERED, NOW);

    @Test
    void aTableHasTheLeaderFirstThenVotersThenObservers() {
        assertThat(report.text().lines())
                .containsExactly(
                        "cluster cluster-1, leader 2, epoch 7, high watermark 119",
                        "",
                        "ID  ROLE      DIRECTORY               LOG END  LAG  LAST FETCH  CAUGHT UP  ENDPOINTS",
                        " 2  leader    AAAAAAAAAAAAAAAAAAAAAg      120    0  -           -          CONTROLLER://two:9093",
                        " 1  voter     AAAAAAAAAAAAAAAAAAAAAQ      117    3  0.2 s ago   1.5 s ago  CONTROLLER://[::1]:9093",
                        " 3  voter     AAAAAAAAAAAAAAAAAAAAAw        -    -  -           -          -",
                        " 4  observer  AAAAAAAAAAAAAAAAAAAABA       20  100  45 s ago    5 min ago  CONTROLLER://four:9093",
                        "10  observer  -                           120    0  0.0 s ago   0.0 s ago  -");
    }

    @Test
    void jsonSaysTheSame() {
        assertThat(Json.indented(report.json())).startsWith("""
                        {
                          "clusterId": "cluster-1",
                          "leaderId": 2,
                          "leaderEpoch": 7,
                          "highWatermark": 119,
                          "members": [
                            {
                              "id": 2,
                              "role": "leader",
                              "directoryId": "AAAAAAAAAAAAAAAAAAAAAg",
                              "logEndOffset": 120,
                              "lag": 0,
                              "endpoints": [
                                "CONTROLLER://two:9093"
                              ]
                            },
                            {
                              "id": 1,
                              "role": "voter",
                              "directoryId": "AAAAAAAAAAAAAAAAAAAAAQ",
                              "logEndOffset": 117,
                              "lag": 3,
                              "sinceLastFetchMs": 200,
                              "sinceCaughtUpMs": 1500,
                        """);
    }

    @Test
    void withoutALeaderNobodyLags() {
        var leaderless = new Quorum(
                -1,
                7,
                119,
                List.of(new Replica(1, new Uuid(0, 1), 117, OptionalLong.empty(), OptionalLong.empty())),
                List.of(),
                Map.of());

        assertThat(QuorumReport.of("c", leaderless, Map.of(), NOW).text())
                .contains("leader none")
                .contains(" 1  voter  AAAAAAAAAAAAAAAAAAAAAQ      117    -");
    }

    @Test
    void anAddressPrintsAsItIsRead() {
        for (var address : List.of(new Address("CONTROLLER", "host", 1), new Address("C", "fe80::1", 65_535))) {
            assertThat(Tool.address(address.toString())).isEqualTo(address);
        }
    }
}
