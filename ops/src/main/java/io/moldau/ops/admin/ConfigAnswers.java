package io.moldau.ops.admin;

import io.moldau.broker.NodeView;
import io.moldau.broker.config.ConfigSource;
import io.moldau.broker.config.DescribedConfig;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// Answers what is configured, and where it comes from. Thread-safe.
final class ConfigAnswers {

    private final NodeView node;

    ConfigAnswers(NodeView node) {
        this.node = node;
    }

    /// Defaults of a topic are those of this node.
    Answers.Configs ofTopic(String topic) {
        return answer(
                "topic " + topic,
                node.settings().describeTopic(topic, node.image().get().configs()));
    }

    Answers.Configs ofBroker(int id) {
        if (id != node.config().nodeId()) {
            throw new Refusal(
                    404,
                    "this is node " + node.config().nodeId()
                            + ", and settings of a broker are told by the broker: ask node " + id
                            + "'s own admin listener, or 'moldau configs show broker " + id + " --all'");
        }
        return answer(
                "broker " + id,
                node.settings().describeBroker(node.image().get().configs()));
    }

    private static Answers.Configs answer(String resource, List<DescribedConfig> configs) {
        return new Answers.Configs(
                resource,
                configs.stream()
                        .map(ConfigAnswers::config)
                        .sorted(Comparator.comparing(Answers.Config::name))
                        .toList());
    }

    private static Answers.Config config(DescribedConfig config) {
        boolean secret = config.key().isSensitive();
        return new Answers.Config(
                config.key().name(),
                secret ? null : config.value(),
                config.source().name(),
                config.source() == ConfigSource.DEFAULT_CONFIG,
                config.readOnly(),
                secret,
                config.key().type().kind().name().toLowerCase(Locale.ROOT),
                config.key().documentation(),
                config.synonyms().stream()
                        .map(it -> new Answers.Synonym(
                                it.name(),
                                secret ? null : it.value(),
                                it.source().name()))
                        .toList());
    }
}
