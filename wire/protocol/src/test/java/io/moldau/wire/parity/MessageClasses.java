package io.moldau.wire.parity;

import io.moldau.common.Uuid;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.RecordBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The generated classes and their properties, found by reflection.
final class MessageClasses {

    /// One property of a generated class, ours or Kafka's.
    record Property(String name, Method getter, Method setter) {

        Class<?> type() {
            return setter.getParameterTypes()[0];
        }

        /// Whether some version may say null. Only our classes tell.
        boolean nullable() {
            return getter.getAnnotatedReturnType().isAnnotationPresent(Nullable.class);
        }

        /// The class of a list's elements.
        Class<?> elementType() {
            Type list = setter.getGenericParameterTypes()[0];
            if (list instanceof ParameterizedType parameterized) {
                return (Class<?>) parameterized.getActualTypeArguments()[0];
            }
            // Kafka's own collections bind the element in their superclass.
            return (Class<?>) ((ParameterizedType) type().getGenericSuperclass()).getActualTypeArguments()[0];
        }

        @Nullable
        Object get(Object of) {
            return call(getter, of);
        }

        void set(Object of, @Nullable Object value) {
            call(setter, of, value);
        }

        private static @Nullable Object call(Method method, Object of, @Nullable Object... arguments) {
            try {
                return method.invoke(of, arguments);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(method + " failed", e);
            }
        }
    }

    private static final Map<Class<?>, Map<String, Property>> PROPERTIES = new ConcurrentHashMap<>();

    private MessageClasses() {}

    /// Every generated message class of ours.
    static List<Class<? extends Message>> all() {
        try {
            var classes = Path.of(ProduceRequestData.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolve("io/moldau/wire/message");
            var all = new ArrayList<Class<? extends Message>>();
            try (var files = Files.list(classes)) {
                for (var file : files.map(path -> String.valueOf(path.getFileName()))
                        .filter(name -> name.endsWith(".class") && !name.contains("$") && !name.contains("package"))
                        .sorted()
                        .toList()) {
                    all.add(Class.forName("io.moldau.wire.message." + file.substring(0, file.length() - 6))
                            .asSubclass(Message.class));
                }
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException | URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static <T> T create(Class<T> type) {
        try {
            return type.getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(type + " has no default constructor", e);
        }
    }

    /// The properties of a generated class by [#key].
    static Map<String, Property> properties(Class<?> type) {
        return PROPERTIES.computeIfAbsent(type, MessageClasses::find);
    }

    private static Map<String, Property> find(Class<?> type) {
        var properties = new TreeMap<String, Property>();
        for (var setter : type.getMethods()) {
            if (setter.getName().startsWith("set") && setter.getParameterCount() == 1) {
                var name = setter.getName().substring(3);
                try {
                    var getter = type.getMethod(Character.toLowerCase(name.charAt(0)) + name.substring(1));
                    properties.put(key(name), new Property(name, getter, setter));
                } catch (NoSuchMethodException e) {
                    throw new AssertionError(type + " has a setter without getter: " + name, e);
                }
            }
        }
        return properties;
    }

    /// Kafka's schemas say `k_raft_version` or `kraft_version` as they please, so neither dashes nor case count.
    static String key(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    static boolean isStruct(Class<?> type) {
        return !type.isPrimitive()
                && type != String.class
                && type != byte[].class
                && type != Uuid.class
                && type != Integer.class
                && type != Long.class
                && type != Short.class
                && type != Byte.class
                && type != Boolean.class
                && type != Double.class
                && !List.class.isAssignableFrom(type)
                && !RecordBytes.class.isAssignableFrom(type);
    }
}
