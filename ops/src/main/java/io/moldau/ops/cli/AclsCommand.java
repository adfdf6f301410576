package io.moldau.ops.cli;

import io.moldau.ops.report.TextTable;
import io.moldau.ops.report.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau acls`: who may do what (KIP-11, KIP-290).
@Command(
        name = "acls",
        description = {
            "Lists, adds and removes access rights (ACLs).",
            "",
            "They hold where the cluster has an authorizer; without one everybody may do everything."
        },
        footer = {
            "",
            "Examples:",
            "  moldau acls list",
            "  moldau acls add User:alice --allow read,describe --topic orders",
            "  moldau acls remove User:alice --topic orders"
        })
final class AclsCommand {

    private static final String ANY_HOST = "*";

    /// The cluster's only name, in Kafka's words.
    private static final String CLUSTER = "kafka-cluster";

    private static final Comparator<AclBinding> ORDER = Comparator.<AclBinding, String>comparing(
                    acl -> acl.entry().principal())
            .thenComparing(acl -> acl.pattern().resourceType())
            .thenComparing(acl -> acl.pattern().name())
            .thenComparing(acl -> acl.entry().operation());

    /// What rights are about.
    static final class Resources {

        @Option(names = "--topic", paramLabel = "TOPIC", description = "A topic, or '*' for all; may be repeated.")
        private List<String> topics = List.of();

        @Option(names = "--group", paramLabel = "GROUP", description = "A group, or '*' for all; may be repeated.")
        private List<String> groups = List.of();

        @Option(
                names = "--transactional-id",
                paramLabel = "ID",
                description = "A transactional id, or '*' for all; may be repeated.")
        private List<String> transactionalIds = List.of();

        @Option(names = "--cluster", description = "The cluster itself.")
        private boolean cluster;

        @Option(names = "--prefixed", description = "All names that begin with the ones given.")
        private boolean prefixed;

        List<ResourcePattern> patterns() {
            PatternType type = prefixed ? PatternType.PREFIXED : PatternType.LITERAL;
            List<ResourcePattern> patterns = new ArrayList<>();
            topics.forEach(name -> patterns.add(new ResourcePattern(ResourceType.TOPIC, name, type)));
            groups.forEach(name -> patterns.add(new ResourcePattern(ResourceType.GROUP, name, type)));
            transactionalIds.forEach(
                    name -> patterns.add(new ResourcePattern(ResourceType.TRANSACTIONAL_ID, name, type)));
            if (cluster) {
                patterns.add(new ResourcePattern(ResourceType.CLUSTER, CLUSTER, PatternType.LITERAL));
            }
            return patterns;
        }

        /// The rights that are about these resources, or all if none is named.
        List<AclBindingFilter> filters(AccessControlEntryFilter entry) {
            List<ResourcePattern> patterns = patterns();
            return patterns.isEmpty()
                    ? List.of(new AclBindingFilter(ResourcePatternFilter.ANY, entry))
                    : patterns.stream()
                            .map(pattern -> new AclBindingFilter(pattern.toFilter(), entry))
                            .toList();
        }
    }

    /// `moldau acls list`
    @Command(
            name = "list",
            description = "Lists rights; all, or those of a principal or about a resource.",
            footer = {
                "",
                "Examples:",
                "  moldau acls list",
                "  moldau acls list --principal User:alice --json",
                "  moldau acls list --topic orders"
            })
    static final class Listing extends ClusterCommand {

        @Option(names = "--principal", paramLabel = "PRINCIPAL", description = "Only those of User:NAME.")
        private @Nullable String principal;

        @Mixin
        private final Resources resources = new Resources();

        Listing(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            var entry = new AccessControlEntryFilter(
                    principal == null ? null : user(principal), null, AclOperation.ANY, AclPermissionType.ANY);
            List<AclBinding> acls = new ArrayList<>();
            resources.filters(entry).forEach(filter -> acls.addAll(cluster.acls(filter)));
            print(json("acls", acls), acls.isEmpty() ? "There are no such rights." : text(acls));
            return DONE;
        }
    }

    /// `moldau acls add`
    @Command(
            name = "add",
            description = {
                "Lets a principal do something, or forbids it.",
                "",
                "Operations: all, read, write, create, delete, alter, describe, describe_configs, alter_configs,"
                        + " cluster_action, idempotent_write. A producer needs write and describe of its topic, a"
                        + " consumer read and describe of its topic and read of its group."
            },
            footer = {
                "",
                "Examples:",
                "  moldau acls add User:alice --allow write,describe --topic orders",
                "  moldau acls add User:bob --allow read --topic orders --group billing",
                "  moldau acls add User:eve --deny all --topic secret- --prefixed"
            })
    static final class Add extends ClusterCommand {

        @Parameters(paramLabel = "PRINCIPAL", description = "User:NAME, or 'User:*' for everybody.")
        private String principal = "";

        @Option(names = "--allow", split = ",", paramLabel = "OPERATION", description = "What it may do.")
        private List<String> allowed = List.of();

        @Option(
                names = "--deny",
                split = ",",
                paramLabel = "OPERATION",
                description = "What it must not do, whatever else allows it.")
        private List<String> denied = List.of();

        @Option(
                names = "--host",
                paramLabel = "ADDRESS",
                defaultValue = ANY_HOST,
                description = "Only from this address (default: from everywhere).")
        private String host = ANY_HOST;

        @Mixin
        private final Resources resources = new Resources();

        Add(ToolContext context) {
            super(context);
        }

        @Override
        void check() {
            if (allowed.isEmpty() && denied.isEmpty()) {
                throw new ToolException(
                        "Nothing was said that " + principal + " may do.",
                        "Add --allow or --deny with operations, such as --allow read,describe.");
            }
            if (resources.patterns().isEmpty()) {
                throw new ToolException(
                        "Nothing was said about what " + principal + " may use.",
                        "Add --topic, --group, --transactional-id or --cluster.");
            }
            bindings();
        }

        @Override
        int run(Cluster cluster) {
            List<AclBinding> bindings = bindings();
            cluster.addAcls(bindings);
            print(
                    json("added", bindings),
                    "Added: " + Words.count(bindings.size(), "right") + ".\n\n" + text(bindings));
            return DONE;
        }

        private List<AclBinding> bindings() {
            List<AclBinding> bindings = new ArrayList<>();
            for (ResourcePattern pattern : resources.patterns()) {
                allowed.forEach(operation -> bindings.add(binding(pattern, operation, AclPermissionType.ALLOW)));
                denied.forEach(operation -> bindings.add(binding(pattern, operation, AclPermissionType.DENY)));
            }
            return bindings;
        }

        private AclBinding binding(ResourcePattern pattern, String operation, AclPermissionType permission) {
            return new AclBinding(
                    pattern, new AccessControlEntry(user(principal), host, operation(operation), permission));
        }
    }

    /// `moldau acls remove`
    @Command(
            name = "remove",
            description = "Takes rights of a principal away, with all operations or the ones named.",
            footer = {
                "",
                "Examples:",
                "  moldau acls remove User:alice --topic orders",
                "  moldau acls remove User:alice --operation write",
                "  moldau acls remove User:alice --dry-run"
            })
    static final class Remove extends ClusterCommand {

        @Parameters(paramLabel = "PRINCIPAL", description = "User:NAME.")
        private String principal = "";

        @Option(names = "--operation", split = ",", paramLabel = "OPERATION", description = "Only these operations.")
        private List<String> operations = List.of();

        @Option(names = "--dry-run", description = "Only show what would go.")
        private boolean dryRun;

        @Mixin
        private final Resources resources = new Resources();

        Remove(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<AclOperation> which = operations.isEmpty()
                    ? List.of(AclOperation.ANY)
                    : operations.stream().map(AclsCommand::operation).toList();
            List<AclBindingFilter> filters = new ArrayList<>();
            which.forEach(operation -> filters.addAll(resources.filters(
                    new AccessControlEntryFilter(user(principal), null, operation, AclPermissionType.ANY))));
            List<AclBinding> gone = new ArrayList<>();
            if (dryRun) {
                filters.forEach(filter -> gone.addAll(cluster.acls(filter)));
            } else {
                gone.addAll(cluster.removeAcls(filters));
            }
            String done = dryRun ? "Would be removed: " : "Removed: ";
            print(
                    json("removed", gone),
                    gone.isEmpty()
                            ? principal + " has no such rights."
                            : done + Words.count(gone.size(), "right") + ".\n\n" + text(gone));
            return DONE;
        }
    }

    private static String user(String principal) {
        if (!principal.matches("[A-Za-z]+:.+")) {
            throw new ToolException(
                    "'" + principal + "' is no principal.", "Write User:" + principal + ", or 'User:*' for everybody.");
        }
        return principal;
    }

    private static AclOperation operation(String text) {
        AclOperation operation = AclOperation.fromString(text.strip().toUpperCase(Locale.ROOT));
        if (operation == AclOperation.UNKNOWN || operation == AclOperation.ANY) {
            throw new ToolException(
                    "'" + text + "' is no operation.",
                    "Take one of "
                            + Arrays.stream(AclOperation.values())
                                    .filter(known -> known != AclOperation.UNKNOWN && known != AclOperation.ANY)
                                    .map(AclsCommand::word)
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        return operation;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String text(Collection<AclBinding> acls) {
        var table = new TextTable("PRINCIPAL", "MAY", "OPERATION", "RESOURCE", "NAME", "FROM");
        acls.stream()
                .sorted(ORDER)
                .forEach(acl -> table.row(
                        acl.entry().principal(),
                        acl.entry().permissionType() == AclPermissionType.DENY ? "must not" : "may",
                        word(acl.entry().operation()),
                        word(acl.pattern().resourceType()),
                        acl.pattern().name() + (acl.pattern().patternType() == PatternType.PREFIXED ? "..." : ""),
                        acl.entry().host().equals(ANY_HOST)
                                ? "everywhere"
                                : acl.entry().host()));
        return table.toString();
    }

    private static Map<String, Object> json(String name, Collection<AclBinding> acls) {
        return Map.of(
                name,
                acls.stream()
                        .sorted(ORDER)
                        .map(acl -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("principal", acl.entry().principal());
                            one.put("permission", word(acl.entry().permissionType()));
                            one.put("operation", word(acl.entry().operation()));
                            one.put("resourceType", word(acl.pattern().resourceType()));
                            one.put("resourceName", acl.pattern().name());
                            one.put("patternType", word(acl.pattern().patternType()));
                            one.put("host", acl.entry().host());
                            return one;
                        })
                        .toList());
    }
}
