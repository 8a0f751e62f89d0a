import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds a peer, warms it up and measures it: `Driver PEER FOLDER WARM PASS PASSES BATCHES [SETTING...]`, times in seconds.
 *
 * <p>A line of JSON per size of batches goes to standard output. driver.py does the same for peers in Python.
 */
public final class Driver {
    private final Peer peer;
    private final int events;
    private final int batch;
    private final int[] counts;

    private Driver(Peer peer, int events, int batch) {
        this.peer = peer;
        this.events = events;
        this.batch = batch;
        this.counts = new int[events];
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[1]);
        double warm = Double.parseDouble(arguments[2]);
        double pass = Double.parseDouble(arguments[3]);
        int passes = Integer.parseInt(arguments[4]);
        int[] batches = Arrays.stream(arguments[5].split(",")).mapToInt(Integer::parseInt).toArray();
        Peer peer = make(arguments[0], folder, Arrays.asList(arguments).subList(6, arguments.length));
        long before = heap();
        long begun = System.nanoTime();
        try (Stream<String> lines = Files.lines(folder.resolve("subscriptions"))) {
            peer.build(lines);
        }
        double build = seconds(begun);
        long memory = heap() - before;
        List<String> events = Files.readAllLines(folder.resolve("events"));
        peer.readEvents(events);
        for (int batch : batches) {
            new Driver(peer, events.size(), batch).measure(build, memory, warm, pass, passes);
        }
        System.exit(0); // libraries may have left threads
    }

    private static Peer make(String name, Path folder, List<String> settings) throws Exception {
        return (Peer) Class.forName(name).getDeclaredConstructor(Path.class, List.class).newInstance(folder, settings);
    }

    private void measure(double build, long memory, double warm, double pass, int passes) throws Exception {
        int end = warmUp(warm / 2, pass, Math.min(batch, events));
        peer.adapt();
        end = warmUp(warm / 2, pass, end);
        int rounds = (int) Math.max(1, Math.round(pass / time(end, 1)));
        double[] each = new double[passes];
        for (int i = 0; i < passes; i++) {
            each[i] = time(end, rounds) / rounds / end;
        }
        print(build, memory, end, each);
    }

    /** How many events, in whole batches, fit into a pass once all is warm. */
    private int warmUp(double warm, double pass, int end) throws Exception {
        long begun = System.nanoTime();
        do {
            double each = time(end, 1) / end;
            long whole = (long) Math.min(events, pass / each) / batch * batch;
            end = (int) (pass / each >= events ? events : Math.max(Math.min(batch, events), whole));
        } while (seconds(begun) < warm);
        return end;
    }

    private double time(int end, int rounds) throws Exception {
        long begun = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            for (int first = 0; first < end; first += batch) {
                peer.match(first, Math.min(first + batch, end), counts);
            }
        }
        return seconds(begun);
    }

    private void print(double build, long memory, int end, double[] each) throws Exception {
        String times = Arrays.stream(each).mapToObj(Double::toString).collect(Collectors.joining(","));
        String found = Arrays.stream(counts, 0, end).mapToObj(Integer::toString).collect(Collectors.joining(","));
        System.out.printf(
                "{\"batch\":%d,\"build_seconds\":%s,\"memory\":%d,\"peak\":%d,\"seconds\":[%s],\"counts\":[%s]}%n",
                batch, build, memory, peak(), times, found);
    }

    private static double seconds(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }

    /** Bytes of living objects. */
    private static long heap() {
        for (int i = 0; i < 2; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** The most bytes that the process has had in memory; 0 where the system does not tell. */
    private static long peak() throws Exception {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(status)) {
            String line = lines.filter(text -> text.startsWith("VmHWM")).findFirst().orElseThrow();
            return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
    }
}
