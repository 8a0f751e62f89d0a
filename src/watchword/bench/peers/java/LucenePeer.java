import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.Term;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorConfiguration;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.MultiMatchingQueries;
import org.apache.lucene.monitor.MultipassTermFilteredPresearcher;
import org.apache.lucene.monitor.Presearcher;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.monitor.TermWeightor;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.TermQuery;

/**
 * Lucene's Monitor. Subscriptions: `+word +word`; events: words. Settings: how many passes the presearcher makes, and
 * whether terms are weighted by the document frequencies in the file `frequencies` (`word number`).
 */
final class LucenePeer implements Peer {
    private static final String FIELD = "text";
    private static final int REGISTERED_AT_ONCE = 10_000;

    private final Monitor monitor;
    private final FieldType type = new FieldType();
    private List<String> events;

    LucenePeer(Path folder, List<String> settings) throws IOException {
        int passes = Integer.parseInt(settings.get(0));
        boolean weighted = settings.get(1).equals("frequencies");
        TermWeightor weights = weighted ? byFrequency(folder) : TermFilteredPresearcher.DEFAULT_WEIGHTOR;
        Presearcher presearcher = passes == 1
                ? new TermFilteredPresearcher(weights, List.of(), Set.of())
                : new MultipassTermFilteredPresearcher(passes, 0, weights, List.of(), Set.of());
        MonitorConfiguration configuration = new MonitorConfiguration()
                .setPurgeFrequency(1, TimeUnit.DAYS)
                .setQueryUpdateBufferSize(REGISTERED_AT_ONCE);
        monitor = new Monitor(new WhitespaceAnalyzer(), presearcher, configuration);
        // Which words a document has is all that these queries ask.
        type.setIndexOptions(IndexOptions.DOCS);
        type.setOmitNorms(true);
        type.setTokenized(true);
        type.freeze();
    }

    private static TermWeightor byFrequency(Path folder) throws IOException {
        Map<String, Integer> frequencies = new HashMap<>();
        for (String line : Files.readAllLines(folder.resolve("frequencies"))) {
            String[] parts = line.split(" ");
            frequencies.put(parts[0], Integer.valueOf(parts[1]));
        }
        return TermWeightor.termFreqWeightor(frequencies, 1, 0); // 1 / frequency; 1 for words not seen in training
    }

    @Override
    public void build(Stream<String> subscriptions) throws IOException {
        List<MonitorQuery> some = new ArrayList<>();
        int id = 0;
        for (Iterator<String> lines = subscriptions.iterator(); lines.hasNext(); id++) {
            BooleanQuery.Builder query = new BooleanQuery.Builder();
            for (String word : lines.next().split(" ")) {
                query.add(new TermQuery(new Term(FIELD, word.substring(1))), BooleanClause.Occur.MUST);
            }
            some.add(new MonitorQuery(Integer.toString(id), query.build()));
            if (some.size() == REGISTERED_AT_ONCE || !lines.hasNext()) {
                monitor.register(some);
                some.clear();
            }
        }
    }

    @Override
    public void readEvents(List<String> lines) {
        events = lines;
    }

    @Override
    public void match(int first, int end, int[] counts) throws IOException {
        Document[] batch = new Document[end - first];
        for (int i = 0; i < batch.length; i++) {
            batch[i] = new Document();
            batch[i].add(new Field(FIELD, events.get(first + i), type));
        }
        MultiMatchingQueries<QueryMatch> matches = monitor.match(batch, QueryMatch.SIMPLE_MATCHER);
        for (int i = 0; i < batch.length; i++) {
            counts[first + i] = matches.getMatchCount(i);
        }
    }
}
