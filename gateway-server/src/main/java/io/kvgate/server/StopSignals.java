package io.kvgate.server;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * SIGTERM and SIGINT: the first asks for a graceful end, a second ends at once.
 *
 * <p>The JDK's shutdown hooks can't tell a second signal, as the machine is going down already when they run; its signal class
 * can. That class is outside the standard and the compiler warns of its name, so it is reached by reflection; without it the
 * hook does the graceful part.
 *
 * <p>Threading: handlers run on threads of the JVM's own.
 */
final class StopSignals {
    private final Runnable graceful;
    private final IntConsumer atOnce;
    private final AtomicBoolean seen = new AtomicBoolean();

    /**
     * @param graceful run on the first signal, on a thread of its own
     * @param atOnce given the exit code on any further one
     */
    StopSignals(Runnable graceful, IntConsumer atOnce) {
        this.graceful = graceful;
        this.atOnce = atOnce;
    }

    /** Takes the signals over from the JVM. */
    @SuppressWarnings("ReferenceEquality") // a proxy equals itself only
    void install() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Method number = signal.getMethod("getNumber");
            InvocationHandler invocation = (proxy, method, arguments) -> switch (method.getName()) {
                case "handle" -> {
                    received((int) number.invoke(arguments[0]));
                    yield null;
                }
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "StopSignals";
            };
            Object handler = Proxy.newProxyInstance(
                    StopSignals.class.getClassLoader(), new Class<?>[] {handlerType}, invocation);
            Method handle = signal.getMethod("handle", signal, handlerType);
            for (String name : new String[] {"TERM", "INT"}) {
                handle.invoke(null, signal.getConstructor(String.class).newInstance(name), handler);
            }
        } catch (ReflectiveOperationException e) {
            Runtime.getRuntime().addShutdownHook(new Thread(graceful, "kvgate-stop"));
        }
    }

    /** As if the signal had come. */
    void received(int signal) {
        if (seen.compareAndSet(false, true)) {
            new Thread(graceful, "kvgate-stop").start();
        } else {
            atOnce.accept(128 + signal);
        }
    }
}
