import type { Diff } from '../../../api/trials/diff.ts';
import type { Trial } from '../../../api/trials/trial.ts';
import { trialPath, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { unitText } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';
import { DiffView } from '../../parts/diff/diff-view.tsx';
import { Empty } from '../../parts/empty.tsx';
import { OutcomeBadge } from '../../parts/outcome/outcome.tsx';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { useNarrow } from '../../shell/use-narrow.ts';
import { hrefOf, setParams, useAddress } from '../../router.ts';
import { SplitChoice } from '../trial/diff-panel.tsx';
import { trialRefresh } from '../trial/trial-refresh.ts';
import { trialEndLabel } from '../trials/labels.ts';
import { Curves } from './curves.tsx';
import { Facts } from './facts.tsx';
import { differenceOf, nameBeside } from './rows.ts';

/** Page that compares two trials: their facts, their curves and their sources. */
export function Compare() {
  const { params } = useAddress();
  const a = useTrial(params.get('a'));
  const b = useTrial(params.get('b'));
  if (params.get('a') === null || params.get('b') === null)
    return <Waiting>Pick two trials in the list of a research to compare them.</Waiting>;
  const error = a.error ?? b.error;
  if (!a.data || !b.data) return <Waiting>{error ? error.message : 'Reading the two trials'}</Waiting>;
  const difference = differenceOf(a.data, b.data);
  return (
    <article aria-label="Comparison">
      <nav className="ways" aria-label="Trials">
        <a href={hrefOf(['r', a.data.research, 'trials'])}>← All trials</a>
        <a className="button end" href={hrefOf(['compare'], { a: b.data.trialId, b: a.data.trialId })}>
          Swap
        </a>
      </nav>
      <div className="title">
        <h1>
          {nameBeside(a.data, b.data)} and {nameBeside(b.data, a.data)}
        </h1>
        {difference === null ? null : (
          <span>
            the second trial <strong>{difference}</strong>
          </span>
        )}
      </div>
      <div className="compare-heads">
        <Head trial={a.data} name={nameBeside(a.data, b.data)} />
        <Head trial={b.data} name={nameBeside(b.data, a.data)} />
      </div>
      <div className="stack compare-parts">
        <Facts a={a.data} b={b.data} />
        <Curves a={a.data} b={b.data} />
        <Change key={`${a.data.trialId} ${b.data.trialId}`} a={a.data} b={b.data} />
      </div>
    </article>
  );
}

const Waiting = ({ children }: { children: string }) => (
  <>
    <div className="title">
      <h1>Compare two trials</h1>
    </div>
    <Empty>{children}</Empty>
  </>
);

function useTrial(trialId: string | null) {
  const { data, error } = useResource<Trial>(
    trialId === null ? null : trialPath(trialId),
    trialId === null ? {} : { research: trialId.slice(0, trialId.lastIndexOf('/')) },
  );
  return { data: data?.trialId === trialId ? data : undefined, error };
}

function Head({ trial, name }: { trial: Trial; name: string }) {
  const { n, research, value, metric, hypothesis } = trial;
  const outcome = outcomeOf(trial);
  return (
    <section className="panel" aria-label={`Trial ${name}`}>
      <div className="row">
        <h2>
          <a href={hrefOf(['r', research, 'trials', String(n)])}>{name}</a>
        </h2>
        {outcome ? (
          <OutcomeBadge outcome={outcome} word={trialEndLabel(trial)} />
        ) : (
          <span className="badge">under way</span>
        )}
        <strong>{value === null ? 'no value' : `${formatValue(value)}${unitText(metric.unit)}`}</strong>
      </div>
      <p className="quiet small">
        <UntrustedText text={hypothesis ?? trial.kind} line max={300} />
      </p>
    </section>
  );
}

/** Diff from the sources of the first trial to those of the second one. */
function Change({ a, b }: { a: Trial; b: Trial }) {
  const { params } = useAddress();
  const split = params.get('diff') !== 'unified';
  const narrow = useNarrow();
  const { data, error } = useResource<Diff>(
    withQuery(trialPath(b.trialId, 'diff'), { other: a.trialId }),
    trialRefresh(b),
  );
  return (
    <Panel
      title="Sources"
      note={`from ${nameBeside(a, b)} to ${nameBeside(b, a)}`}
      end={<SplitChoice split={split} onSplit={(next) => setParams({ diff: next ? null : 'unified' })} />}
    >
      {data ? (
        <DiffView diff={data} split={split && !narrow} />
      ) : (
        <Empty>{error ? error.message : 'Reading the sources'}</Empty>
      )}
    </Panel>
  );
}
