package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about authentication, authorization and TLS.
public final class SecurityKeys {

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.later(
                    ConfigKey.of("authorizer.class.name", ConfigType.string())
                            .defaultTo("")
                            .importance(LOW)
                            .describedAs("Class that decides what a principal may do."),
                    Reasons.ACL),
            KnownKey.later(
                            ConfigKey.of("principal.builder.class", ConfigType.className())
                                    .defaultTo(
                                            "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder")
                                    .describedAs("Class that makes a principal of a connection."),
                            Reasons.PLUGIN)
                    .perBroker(),
            KnownKey.later(
                    ConfigKey.of("connections.max.reauth.ms", ConfigType.anyLong())
                            .defaultTo(0L)
                            .describedAs(
                                    "Longest life of a SASL session before the client must authenticate again; 0 is no limit."),
                    Reasons.SASL),
            KnownKey.accepted(
                    ConfigKey.of("delegation.token.expiry.check.interval.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(3_600_000L)
                            .importance(LOW)
                            .describedAs("How often expired delegation tokens are looked for."),
                    Reasons.TOKEN),
            KnownKey.accepted(
                    ConfigKey.of("delegation.token.expiry.time.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(86_400_000L)
                            .describedAs("How long a delegation token is valid before it must be renewed."),
                    Reasons.TOKEN),
            KnownKey.accepted(
                    ConfigKey.of("delegation.token.max.lifetime.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(604_800_000L)
                            .describedAs("How long a delegation token can be renewed at all."),
                    Reasons.TOKEN),
            KnownKey.later(
                    ConfigKey.of("delegation.token.secret.key", ConfigType.password())
                            .describedAs("Secret by which delegation tokens are made and checked."),
                    Reasons.TOKEN),
            KnownKey.later(
                    ConfigKey.of("security.providers", ConfigType.string())
                            .importance(LOW)
                            .describedAs("Classes that add security providers to the JVM."),
                    Reasons.PLUGIN),
            KnownKey.later(
                            ConfigKey.of("config.providers", ConfigType.list())
                                    .defaultTo(List.of())
                                    .importance(LOW)
                                    .describedAs("Names of providers that fill in values from elsewhere."),
                            Reasons.PROVIDERS)
                    .clusterWide(),
            KnownKey.later(
                    ConfigKey.of("sasl.client.callback.handler.class", ConfigType.className())
                            .describedAs("Class that answers a SASL client's questions."),
                    Reasons.SASL),
            KnownKey.later(
                            ConfigKey.of("sasl.enabled.mechanisms", ConfigType.list())
                                    .defaultTo(List.of("GSSAPI"))
                                    .describedAs("SASL mechanisms a listener accepts."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.jaas.config", ConfigType.password())
                                    .describedAs("Login settings of a SASL connection in JAAS form."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.kerberos.kinit.cmd", ConfigType.string())
                                    .defaultTo("/usr/bin/kinit")
                                    .describedAs("Path of the kinit command."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.kerberos.min.time.before.relogin", ConfigType.anyLong())
                                    .defaultTo(60_000L)
                                    .describedAs("Shortest time between two Kerberos logins."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.kerberos.principal.to.local.rules", ConfigType.list())
                                    .defaultTo(List.of("DEFAULT"))
                                    .describedAs("Rules that turn Kerberos principals into short names."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.kerberos.service.name", ConfigType.string())
                                    .describedAs("Kerberos name of the service."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.kerberos.ticket.renew.jitter", ConfigType.anyDouble())
                                    .defaultTo(0.05)
                                    .describedAs("Random part of the time at which a ticket is renewed."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.kerberos.ticket.renew.window.factor", ConfigType.anyDouble())
                                    .defaultTo(0.8)
                                    .describedAs("Share of a ticket's life after which it is renewed."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                    ConfigKey.of("sasl.login.callback.handler.class", ConfigType.className())
                            .describedAs("Class that answers the questions of a SASL login."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.login.class", ConfigType.className()).describedAs("Class that logs in."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.login.connect.timeout.ms", ConfigType.anyInt())
                            .importance(LOW)
                            .describedAs("How long connecting to an identity provider may take."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.login.read.timeout.ms", ConfigType.anyInt())
                            .importance(LOW)
                            .describedAs("How long reading from an identity provider may take."),
                    Reasons.SASL),
            KnownKey.later(
                            ConfigKey.of("sasl.login.refresh.buffer.seconds", ConfigType.anyShort())
                                    .defaultTo((short) 300)
                                    .describedAs("How long before its end a token must be refreshed."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.login.refresh.min.period.seconds", ConfigType.anyShort())
                                    .defaultTo((short) 60)
                                    .describedAs("Shortest time between two refreshes of a token."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.login.refresh.window.factor", ConfigType.anyDouble())
                                    .defaultTo(0.8)
                                    .describedAs("Share of a token's life after which it is refreshed."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("sasl.login.refresh.window.jitter", ConfigType.anyDouble())
                                    .defaultTo(0.05)
                                    .describedAs("Random part of the time at which a token is refreshed."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                    ConfigKey.of("sasl.login.retry.backoff.max.ms", ConfigType.anyLong())
                            .defaultTo(10_000L)
                            .importance(LOW)
                            .describedAs("Longest pause between two tries at an identity provider."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.login.retry.backoff.ms", ConfigType.anyLong())
                            .defaultTo(100L)
                            .importance(LOW)
                            .describedAs("First pause between two tries at an identity provider."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.mechanism.controller.protocol", ConfigType.string())
                            .defaultTo("GSSAPI")
                            .importance(HIGH)
                            .describedAs("SASL mechanism towards controllers."),
                    Reasons.SASL),
            KnownKey.later(
                            ConfigKey.of("sasl.mechanism.inter.broker.protocol", ConfigType.string())
                                    .defaultTo("GSSAPI")
                                    .describedAs("SASL mechanism among brokers."),
                            Reasons.SASL)
                    .perBroker(),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.allow.unverified.audience", ConfigType.bool())
                            .defaultTo(false)
                            .describedAs("Whether tokens are accepted with no expected audience set."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.allow.unverified.issuer", ConfigType.bool())
                            .defaultTo(false)
                            .describedAs("Whether tokens are accepted with no expected issuer set."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.algorithm", ConfigType.oneOfIgnoringCase("ES256", "RS256"))
                            .defaultTo("RS256")
                            .describedAs("Algorithm that signs an assertion for a token."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.claim.aud", ConfigType.string())
                            .describedAs("Audience named in an assertion."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.claim.exp.seconds", ConfigType.intBetween(0, 86_400))
                            .defaultTo(300)
                            .importance(LOW)
                            .describedAs("How long an assertion is valid."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.claim.iss", ConfigType.string())
                            .describedAs("Issuer named in an assertion."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.claim.jti.include", ConfigType.bool())
                            .defaultTo(false)
                            .describedAs("Whether an assertion carries an identifier of its own."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.claim.nbf.seconds", ConfigType.intBetween(0, 3600))
                            .defaultTo(60)
                            .importance(LOW)
                            .describedAs("How far in the past an assertion's validity begins."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.claim.sub", ConfigType.string())
                            .describedAs("Subject named in an assertion."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.file", ConfigType.string())
                            .describedAs("File that holds a ready-made assertion."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.private.key.file", ConfigType.string())
                            .describedAs("File of the key that signs assertions."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.private.key.passphrase", ConfigType.password())
                            .describedAs("Passphrase of the key that signs assertions."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.assertion.template.file", ConfigType.string())
                            .describedAs("File with the fixed headers and claims of assertions."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.client.credentials.client.id", ConfigType.string())
                            .describedAs("Client id for the client-credentials grant."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.client.credentials.client.secret", ConfigType.password())
                            .describedAs("Client secret for the client-credentials grant."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.clock.skew.seconds", ConfigType.anyInt())
                            .defaultTo(30)
                            .importance(LOW)
                            .describedAs("Difference allowed between the clocks of identity provider and broker."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.expected.audience", ConfigType.list())
                            .defaultTo(List.of())
                            .importance(HIGH)
                            .describedAs("Audiences a token must name one of."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.expected.issuer", ConfigType.string())
                            .importance(HIGH)
                            .describedAs("Issuer a token must come from."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.jwks.endpoint.refresh.ms", ConfigType.anyLong())
                            .defaultTo(3_600_000L)
                            .importance(LOW)
                            .describedAs("How often the identity provider's keys are fetched anew."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", ConfigType.anyLong())
                            .defaultTo(10_000L)
                            .importance(LOW)
                            .describedAs("Longest pause between two tries at fetching keys."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", ConfigType.anyLong())
                            .defaultTo(100L)
                            .importance(LOW)
                            .describedAs("First pause between two tries at fetching keys."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.jwks.endpoint.url", ConfigType.string())
                            .describedAs("Address of the identity provider's keys."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.jwt.retriever.class", ConfigType.className())
                            .defaultTo("org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever")
                            .describedAs("Class that gets tokens."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.jwt.validator.class", ConfigType.className())
                            .defaultTo("org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator")
                            .describedAs("Class that checks tokens."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.scope", ConfigType.string())
                            .describedAs("Scope asked for with a token."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.scope.claim.name", ConfigType.string())
                            .defaultTo("scope")
                            .importance(LOW)
                            .describedAs("Name of the claim that holds the scope."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.sub.claim.name", ConfigType.string())
                            .defaultTo("sub")
                            .importance(LOW)
                            .describedAs("Name of the claim that holds the subject."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.oauthbearer.token.endpoint.url", ConfigType.string())
                            .describedAs("Address at which tokens are given out."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.server.callback.handler.class", ConfigType.className())
                            .describedAs("Class that answers a SASL server's questions."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("sasl.server.max.receive.size", ConfigType.anyInt())
                            .defaultTo(524_288)
                            .describedAs("Largest SASL message accepted before a connection is authenticated."),
                    Reasons.SASL),
            KnownKey.later(
                    ConfigKey.of("ssl.allow.dn.changes", ConfigType.bool())
                            .defaultTo(false)
                            .importance(LOW)
                            .describedAs("Whether a new certificate may have another distinguished name."),
                    Reasons.TLS),
            KnownKey.later(
                    ConfigKey.of("ssl.allow.san.changes", ConfigType.bool())
                            .defaultTo(false)
                            .importance(LOW)
                            .describedAs("Whether a new certificate may have other alternative names."),
                    Reasons.TLS),
            KnownKey.later(
                            ConfigKey.of("ssl.cipher.suites", ConfigType.list())
                                    .defaultTo(List.of())
                                    .describedAs("Cipher suites allowed; empty allows the JVM's."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.client.auth", ConfigType.oneOf("required", "requested", "none"))
                                    .defaultTo("none")
                                    .describedAs("Whether clients must, may or need not show a certificate."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.enabled.protocols", ConfigType.list())
                                    .defaultTo(List.of("TLSv1.2", "TLSv1.3"))
                                    .describedAs("TLS versions allowed."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.endpoint.identification.algorithm", ConfigType.string())
                                    .defaultTo("https")
                                    .importance(LOW)
                                    .describedAs("How a server's name is checked against its certificate."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.engine.factory.class", ConfigType.className())
                                    .importance(LOW)
                                    .describedAs("Class that makes TLS engines."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.key.password", ConfigType.password())
                                    .describedAs("Password of the private key."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.keymanager.algorithm", ConfigType.string())
                                    .defaultTo("SunX509")
                                    .describedAs("Algorithm of the key manager."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.keystore.certificate.chain", ConfigType.password())
                                    .describedAs("Certificate chain as PEM text."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.keystore.key", ConfigType.password())
                                    .describedAs("Private key as PEM text."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.keystore.location", ConfigType.string())
                                    .describedAs("File of the key store."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.keystore.password", ConfigType.password())
                                    .describedAs("Password of the key store."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.keystore.type", ConfigType.string())
                                    .defaultTo("JKS")
                                    .describedAs("Format of the key store."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                    ConfigKey.of("ssl.principal.mapping.rules", ConfigType.string())
                            .defaultTo("DEFAULT")
                            .importance(LOW)
                            .describedAs("Rules that turn a certificate's name into a principal."),
                    Reasons.TLS),
            KnownKey.later(
                            ConfigKey.of("ssl.protocol", ConfigType.string())
                                    .defaultTo("TLSv1.3")
                                    .describedAs("TLS version the context is made for."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.provider", ConfigType.string()).describedAs("Security provider for TLS."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.secure.random.implementation", ConfigType.string())
                                    .importance(LOW)
                                    .describedAs("Source of randomness for TLS."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.trustmanager.algorithm", ConfigType.string())
                                    .defaultTo("PKIX")
                                    .describedAs("Algorithm of the trust manager."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.truststore.certificates", ConfigType.password())
                                    .describedAs("Trusted certificates as PEM text."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.truststore.location", ConfigType.string())
                                    .describedAs("File of the trust store."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.truststore.password", ConfigType.password())
                                    .describedAs("Password of the trust store."),
                            Reasons.TLS)
                    .perBroker(),
            KnownKey.later(
                            ConfigKey.of("ssl.truststore.type", ConfigType.string())
                                    .defaultTo("JKS")
                                    .describedAs("Format of the trust store."),
                            Reasons.TLS)
                    .perBroker());

    private SecurityKeys() {}
}
