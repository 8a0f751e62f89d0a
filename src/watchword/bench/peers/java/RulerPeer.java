import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import software.amazon.event.ruler.GenericMachine;

/** event-ruler. Subscriptions: rules as JSON; events: JSON. It has no settings. */
final class RulerPeer implements Peer {
    private final GenericMachine<Integer> machine = GenericMachine.<Integer>builder().build();
    private List<String> events;

    RulerPeer(Path folder, List<String> settings) {}

    @Override
    public void build(Stream<String> subscriptions) throws IOException {
        int id = 0;
        for (Iterator<String> lines = subscriptions.iterator(); lines.hasNext(); id++) {
            machine.addRule(id, lines.next());
        }
    }

    @Override
    public void readEvents(List<String> lines) {
        events = lines;
    }

    @Override
    public void match(int first, int end, int[] counts) throws Exception {
        for (int event = first; event < end; event++) {
            counts[event] = machine.rulesForJSONEvent(events.get(event)).size();
        }
    }
}
