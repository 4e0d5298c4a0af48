import type { Trial } from '../../../api/trials/trial.ts';
import { unitText } from '../../../../domain/text/format.ts';
import { formatSigned, formatValue } from '../../parts/numbers.ts';
import { describeKind } from '../../../../view/trial/verdict.ts';
import { OutcomeBadge } from '../../parts/outcome/outcome.tsx';
import { outcomeOf } from '../../parts/outcome/outcome-of.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { Overrule } from '../../steer/overrule.tsx';
import { useAddress } from '../../router.ts';
import { trialEndLabel } from '../trials/labels.ts';
import { listHref, trialHref } from './list-links.ts';

/** Head of a trial's page: kind, outcome, value and reason, with links to the list and to its neighbours. */
export function TrialHead({ trial, sd }: { trial: Trial; sd: number | null }) {
  const outcome = outcomeOf(trial);
  return (
    <header className="trial-head">
      <Links trial={trial} />
      <div className="trial-title">
        <h2>Trial #{trial.n}</h2>
        <span className="badge">{describeKind(trial)}</span>
        {outcome ? (
          <OutcomeBadge outcome={outcome} word={trialEndLabel(trial)} />
        ) : (
          <span className="badge">
            <span className="turning" aria-hidden="true" /> {trialEndLabel(trial)}
          </span>
        )}
        <Value trial={trial} sd={sd} />
      </div>
      <Why trial={trial} />
      <Overrule trial={trial} />
    </header>
  );
}

function Value({ trial: { value, metric, trusted, baselineValue }, sd }: { trial: Trial; sd: number | null }) {
  if (value === null) return null;
  const gain = baselineValue === null ? null : (value - baselineValue) * (metric.direction === 'minimize' ? -1 : 1);
  return (
    <p className="trial-value">
      <strong>
        {formatValue(value, sd)}
        {sd === null ? '' : ` ± ${formatValue(sd, sd)}`}
        {unitText(metric.unit)}
      </strong>{' '}
      <span className="quiet small">
        {metric.name}
        {sd === null ? '' : ', ± sd of one run'}
        {gain === null ? '' : ` · gain ${formatSigned(gain, sd)} over the baseline`}
        {' · '}
      </span>
      <span className={trusted === false ? 'warn small' : 'quiet small'}>
        {trusted === false ? 'untrusted: the candidate could have written its own score' : 'trusted'}
      </span>
    </p>
  );
}

/** The outcome in words, and the gate's reason. */
function Why({ trial: { status, outcomeWords, verdictWords, verdict, reason } }: { trial: Trial }) {
  // The badge shows the verdict already, so the text repeats it only if it adds something.
  const ruled = verdictWords === null || verdictWords === verdict || verdict === 'none' ? null : verdictWords;
  const ended = status === null || status === 'completed' ? null : outcomeWords;
  const texts = [ended, ruled].filter((text) => text !== null);
  if (texts.length === 0 && reason === null) return null;
  return (
    <p className="trial-why">
      {texts.length === 0 ? null : (
        <>
          <strong>
            <UntrustedText text={texts.join(' · ')} line max={600} />
          </strong>
          {reason === null ? '' : ': '}
        </>
      )}
      {reason === null ? null : <UntrustedText text={reason} line max={1000} />}
    </p>
  );
}

function Links({ trial: { research, previous, next } }: { trial: Trial }) {
  const { params } = useAddress();
  return (
    <nav className="ways" aria-label="Trials">
      <a href={listHref(research, params)}>← All trials</a>
      <span className="quiet small wide-only">Esc</span>
      <span className="end">
        <NeighbourLink n={previous} word="earlier" research={research} params={params} />
        <NeighbourLink n={next} word="later" research={research} params={params} />
      </span>
    </nav>
  );
}

interface NeighbourProps {
  n: number | null;
  word: 'earlier' | 'later';
  research: string;
  params: URLSearchParams;
}

function NeighbourLink({ n, word, research, params }: NeighbourProps) {
  if (n === null) return <span className="quiet small">{word === 'later' ? 'the newest' : 'the first'}</span>;
  const text = word === 'earlier' ? `‹ #${n}` : `#${n} ›`;
  return (
    <a className="button" href={trialHref(research, n, params)} aria-label={`Trial ${n}, ${word}`}>
      {text}
    </a>
  );
}
