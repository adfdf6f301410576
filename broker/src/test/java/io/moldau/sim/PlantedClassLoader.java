package io.moldau.sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Loads all of Moldau once more, with one bug in it. Nothing else knows of these classes: what they are asked for goes
/// through types of the JDK.
final class PlantedClassLoader extends ClassLoader {

    private static final ClassDesc PLANTED = ClassDesc.of("io.moldau.sim.Planted");

    private final List<PlantedBug.Swap> swaps;
    private final Set<PlantedBug.Swap> planted = new HashSet<>();

    PlantedClassLoader(PlantedBug bug) {
        super(PlantedClassLoader.class.getClassLoader());
        this.swaps = bug.swaps();
    }

    /// The calls that were found nowhere in the classes loaded so far: the bug is not planted.
    List<PlantedBug.Swap> notPlanted() {
        return swaps.stream().filter(swap -> !planted.contains(swap)).toList();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("io.moldau.")) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : load(name);
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        String internalName = name.replace('.', '/');
        byte[] bytes = bytes(internalName);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        var concerned = swaps.stream()
                .filter(swap -> swap.inClass().equals(internalName))
                .toList();
        byte[] changed = concerned.isEmpty() ? bytes : change(bytes, concerned);
        return defineClass(name, changed, 0, changed.length);
    }

    private byte @Nullable [] bytes(String internalName) {
        try (InputStream in = getParent().getResourceAsStream(internalName + ".class")) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] change(byte[] bytes, List<PlantedBug.Swap> concerned) {
        ClassFile classFile = ClassFile.of();
        ClassModel model = classFile.parse(bytes);
        ClassTransform transform = (builder, element) -> builder.with(element);
        for (PlantedBug.Swap swap : concerned) {
            CodeTransform code = (builder, element) -> {
                if (element instanceof InvokeInstruction call
                        && call.owner().asInternalName().equals(swap.owner())
                        && call.name().equalsString(swap.method())) {
                    planted.add(swap);
                    MethodTypeDesc instead = descriptor(swap.instead());
                    builder.invokestatic(PLANTED, swap.instead(), instead);
                    ClassDesc wanted = call.typeSymbol().returnType();
                    if (!wanted.isPrimitive() && !wanted.equals(instead.returnType())) {
                        // Its class may not be visible there.
                        builder.checkcast(wanted);
                    }
                } else {
                    builder.with(element);
                }
            };
            transform = transform.andThen(ClassTransform.transformingMethodBodies(
                    method -> isIn(method.methodName().stringValue(), swap.inMethod()), code));
        }
        return classFile.transformClass(model, transform);
    }

    /// Whether that is the method, or a lambda in it.
    private static boolean isIn(String method, String inMethod) {
        return inMethod.isEmpty() || method.equals(inMethod) || method.startsWith("lambda$" + inMethod + "$");
    }

    private static MethodTypeDesc descriptor(String method) {
        Method found = Stream.of(Planted.class.getMethods())
                .filter(each -> each.getName().equals(method))
                .findFirst()
                .orElseThrow();
        return MethodTypeDesc.of(
                found.getReturnType().describeConstable().orElseThrow(),
                Stream.of(found.getParameterTypes())
                        .map(type -> type.describeConstable().orElseThrow())
                        .toList());
    }
}
