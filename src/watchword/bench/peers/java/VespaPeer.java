import com.yahoo.document.predicate.Predicate;
import com.yahoo.search.predicate.Config;
import com.yahoo.search.predicate.Hit;
import com.yahoo.search.predicate.PredicateIndex;
import com.yahoo.search.predicate.PredicateIndexBuilder;
import com.yahoo.search.predicate.PredicateQuery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Vespa's predicate search. Subscriptions: its predicate language; events: `attribute=value attribute=value`, each a
 * feature and a range feature. Settings: the arity of ranges and the largest value.
 */
final class VespaPeer implements Peer {
    private final PredicateIndexBuilder builder;
    private final List<String[]> names = new ArrayList<>();
    private final List<String[]> texts = new ArrayList<>();
    private final List<long[]> values = new ArrayList<>();
    private PredicateIndex index;
    private PredicateIndex.Searcher searcher;

    VespaPeer(Path folder, List<String> settings) {
        builder = new PredicateIndexBuilder(new Config.Builder()
                .setArity(Integer.parseInt(settings.get(0)))
                .setLowerBound(0)
                .setUpperBound(Long.parseLong(settings.get(1)))
                .build());
    }

    @Override
    public void build(Stream<String> subscriptions) {
        int id = 0;
        for (Iterator<String> lines = subscriptions.iterator(); lines.hasNext(); id++) {
            builder.indexDocument(id, Predicate.fromString(lines.next()));
        }
        index = builder.build();
        searcher = index.searcher();
    }

    @Override
    public void readEvents(List<String> lines) {
        for (String line : lines) {
            String[] pairs = line.split(" ");
            String[] name = new String[pairs.length];
            String[] text = new String[pairs.length];
            long[] value = new long[pairs.length];
            for (int i = 0; i < pairs.length; i++) {
                String[] pair = pairs[i].split("=");
                name[i] = pair[0];
                text[i] = pair[1];
                value[i] = Long.parseLong(pair[1]);
            }
            names.add(name);
            texts.add(text);
            values.add(value);
        }
    }

    @Override
    public void adapt() {
        index.rebuildPostingListCache();
    }

    @Override
    public void match(int first, int end, int[] counts) {
        for (int event = first; event < end; event++) {
            PredicateQuery query = new PredicateQuery();
            String[] name = names.get(event);
            for (int i = 0; i < name.length; i++) {
                query.addFeature(name[i], texts.get(event)[i]);
                query.addRangeFeature(name[i], values.get(event)[i]);
            }
            counts[event] = searcher.search(query).mapToInt(Hit::getDocId).toArray().length;
        }
    }
}
