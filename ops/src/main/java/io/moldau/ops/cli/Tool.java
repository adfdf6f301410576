package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.common.time.SystemTime;
import io.moldau.ops.logging.LoggingProvider;
import io.moldau.ops.report.QuorumReport.Address;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/// The commands of `moldau` that ask a running cluster. The launcher `bin/moldau` calls it for all
/// commands but those that start a node.
///
/// Exit status: 0 done, 1 the cluster refuses or cannot be reached, 2 the command line is wrong.
@Command(name = "moldau", description = "Looks at a running cluster and changes it.")
public final class Tool {

    static final int REFUSED = 1;
    private static final Pattern ADDRESS = Pattern.compile("([^:/]+)://(?:\\[([^]]+)]|([^:\\[\\]]+)):([0-9]{1,5})");

    private Tool() {}

    /// @param words the command and its arguments
    public static void main(String[] words) {
        LoggingProvider.use();
        // What went wrong is told once, by the command. Loggers read this when the first of them is made.
        for (String library : List.of("org.apache.kafka", "org.apache.ratis")) {
            String logger = "moldau.log.level." + library;
            System.setProperty(logger, System.getProperty(logger, "off"));
        }
        var out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
        var error = new PrintWriter(new OutputStreamWriter(System.err, StandardCharsets.UTF_8), true);
        System.exit(run(System.in, out, error, words));
    }

    /// Runs one command in this process.
    ///
    /// @return the exit status
    public static int run(InputStream in, PrintWriter out, PrintWriter error, String... words) {
        var machine = new ThisMachine();
        var clients = new KafkaClients(machine);
        return commands(new ToolContext(out, error, in, new SystemTime(), clients::cluster, clients, machine))
                .setOut(out)
                .setErr(error)
                .execute(words);
    }

    /// A new command is a class and a line here.
    static CommandLine commands(ToolContext context) {
        var quorum = new CommandLine(new QuorumCommand())
                .addSubcommand(new QuorumStatusCommand(context))
                .addSubcommand(new QuorumAddCommand(context))
                .addSubcommand(new QuorumRemoveCommand(context));
        var topics = new CommandLine(new TopicsCommand())
                .addSubcommand(new TopicsCommand.Listing(context))
                .addSubcommand(new TopicsCommand.Describe(context))
                .addSubcommand(new TopicsCommand.Create(context))
                .addSubcommand(new TopicsCommand.Alter(context))
                .addSubcommand(new TopicsCommand.Delete(context));
        var configs = new CommandLine(new ConfigsCommand())
                .addSubcommand(new ConfigsCommand.Show(context))
                .addSubcommand(new ConfigsCommand.Set(context))
                .addSubcommand(new ConfigsCommand.Unset(context));
        var groups = new CommandLine(new GroupsCommand())
                .addSubcommand(new GroupsCommand.Listing(context))
                .addSubcommand(new GroupsCommand.Describe(context))
                .addSubcommand(new GroupsCommand.Reset(context))
                .addSubcommand(new GroupsCommand.Delete(context));
        var explain = new CommandLine(new ExplainCommand())
                .addSubcommand(new ExplainCommand.OfPartition(context))
                .addSubcommand(new ExplainCommand.OfGroup(context))
                .addSubcommand(new ExplainCommand.OfBroker(context))
                .addSubcommand(new ExplainCommand.OfTransaction(context))
                .addSubcommand(new ExplainCommand.OfError(context));
        var acls = new CommandLine(new AclsCommand())
                .addSubcommand(new AclsCommand.Listing(context))
                .addSubcommand(new AclsCommand.Add(context))
                .addSubcommand(new AclsCommand.Remove(context));
        var users = new CommandLine(new UsersCommand())
                .addSubcommand(new UsersCommand.Listing(context))
                .addSubcommand(new UsersCommand.Add(context))
                .addSubcommand(new UsersCommand.Remove(context));
        return prepared(new CommandLine(new Tool())
                .addSubcommand(topics)
                .addSubcommand(new ProduceCommand(context))
                .addSubcommand(new ConsumeCommand(context))
                .addSubcommand(new BenchCommand(context))
                .addSubcommand(groups)
                .addSubcommand(configs)
                .addSubcommand(new BrokersCommand(context))
                .addSubcommand(quorum)
                .addSubcommand(acls)
                .addSubcommand(users)
                .addSubcommand(explain)
                .addSubcommand(new DoctorCommand(context))
                .addSubcommand(new CheckConfigCommand(context))
                .addSubcommand(new StopCommand(context))
                .addSubcommand(new CommandLine(new DumpCommands.OfLogs()).addSubcommand(new LogDumpCommand(context)))
                .addSubcommand(
                        new CommandLine(new DumpCommands.OfMetadata()).addSubcommand(new MetadataDumpCommand(context)))
                .addSubcommand(new CompletionCommand(context)));
    }

    private static CommandLine prepared(CommandLine root) {
        everywhere(
                root,
                command -> command.getCommandSpec()
                        .addOption(OptionSpec.builder("-h", "--help")
                                .usageHelp(true)
                                .description("Show this help.")
                                .build())
                        .usageMessage()
                        .sortOptions(false));
        return root.registerConverter(Uuid.class, Tool::uuid)
                .registerConverter(Address.class, Tool::address)
                .setParameterExceptionHandler(Tool::wrongUse)
                .setExecutionExceptionHandler(Tool::failed);
    }

    private static void everywhere(CommandLine command, Consumer<CommandLine> change) {
        change.accept(command);
        command.getSubcommands().values().forEach(below -> everywhere(below, change));
    }

    private static int wrongUse(CommandLine.ParameterException wrong, String[] words) {
        CommandLine command = wrong.getCommandLine();
        command.getErr().println("moldau: " + wrong.getMessage());
        command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static int failed(Exception failure, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        if (failure instanceof ToolException told) {
            command.getErr().println("moldau: " + told.getMessage());
            command.getErr().println("  " + told.remedy());
            return REFUSED;
        }
        throw failure;
    }

    private static Uuid uuid(String text) {
        try {
            return Uuid.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is no directory id, which has 22 characters");
        }
    }

    static Address address(String text) {
        Matcher matcher = ADDRESS.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(4)) > 65_535) {
            throw new TypeConversionException("'" + text + "' is not of the form LISTENER://HOST:PORT");
        }
        String host = matcher.group(2) == null ? matcher.group(3) : matcher.group(2);
        return new Address(matcher.group(1), host, Integer.parseInt(matcher.group(4)));
    }
}
