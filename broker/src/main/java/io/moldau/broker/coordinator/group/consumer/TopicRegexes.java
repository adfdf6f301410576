package io.moldau.broker.coordinator.group.consumer;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.MetadataImage;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Expressions in the syntax of RE2, whose matching takes time in proportion to the text whatever the expression, so
/// that clients may send any.
public final class TopicRegexes {

    private TopicRegexes() {}

    /// @throws ApiException INVALID_REGULAR_EXPRESSION
    public static void validate(String regex) {
        try {
            Pattern.compile(regex);
        } catch (PatternSyntaxException malformed) {
            throw new ApiException(
                    Errors.INVALID_REGULAR_EXPRESSION,
                    "'" + regex + "' is no regular expression of RE2: " + malformed.getDescription() + ".");
        }
    }

    /// Which topics each expression stands for: those whose whole name it matches. Takes its time where there are many
    /// topics.
    public static Map<String, ResolvedRegex> resolve(Set<String> regexes, MetadataImage image, long nowMs) {
        var resolved = new TreeMap<String, ResolvedRegex>();
        for (var regex : regexes) {
            var topics = new TreeSet<String>();
            try {
                var pattern = Pattern.compile(regex);
                for (var topic : image.topics().topics()) {
                    if (pattern.matches(topic.name())) {
                        topics.add(topic.name());
                    }
                }
            } catch (PatternSyntaxException malformed) {
                // Written by a broker whose syntax knew more: it stands for nothing here.
                topics.clear();
            }
            resolved.put(regex, new ResolvedRegex(topics, image.offset(), nowMs));
        }
        return resolved;
    }
}
