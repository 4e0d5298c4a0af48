import type { ReactNode } from 'react';
import type { Trial } from '../../../api/trials/trial.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { momentText } from '../../parts/zone.ts';

type Fact = [name: string, value: ReactNode];

/** Panel with further facts of a trial. */
export function Facts({ trial }: { trial: Trial }) {
  const { metrics, evaluatorNotes, cases } = trial;
  return (
    <Panel title="Facts">
      <dl className="facts">
        {factsOf(trial).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {evaluatorNotes === null ? null : (
        <p className="small facts-note">
          <UntrustedText text={evaluatorNotes} max={2000} />
        </p>
      )}
      {cases.length === 0 ? null : (
        <details className="metrics">
          <summary>{plural(cases.length, 'case')} of the evaluator</summary>
          <dl className="facts">
            {cases.map(({ name, value, text, heldOut }, index) => (
              <div key={index}>
                <dt>
                  <UntrustedText text={name} line max={200} />
                  {heldOut ? <span className="quiet"> (held out)</span> : null}
                </dt>
                <dd>
                  <span className="mono">{value}</span> <UntrustedText text={text} max={2000} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {metrics.length === 0 ? null : (
        <details className="metrics">
          <summary>{plural(metrics.length, 'number')} that the run reported</summary>
          <dl className="facts">
            {metrics.map(({ name, value }, index) => (
              <div key={index}>
                <dt>
                  <UntrustedText text={name} line max={100} />
                </dt>
                <dd className="mono">
                  <UntrustedText text={value} line max={200} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Panel>
  );
}

/** Known facts of a trial, in the order of its life. */
function factsOf(trial: Trial): Fact[] {
  const { parentReason, proposerReason, operator, staleness, seed, reward, sample, agent } = trial;
  const facts: [string, ReactNode][] = [
    ['reason for its proposer', proposerReason && <UntrustedText text={proposerReason} line max={600} />],
    ['reason for its parent', parentReason && <UntrustedText text={parentReason} line max={600} />],
    ['operator', operator && <UntrustedText text={operator} line max={600} />],
    ['staleness', stalenessText(staleness)],
    ['seed', <span className="mono">{seed}</span>],
    ['waited for a slot', trial.slotWaitSeconds === null ? null : formatSeconds(trial.slotWaitSeconds)],
    ['run time', trial.seconds === null ? null : formatSeconds(trial.seconds)],
    ['cost', trial.usd === null ? null : formatUsd(trial.usd)],
    ['tokens', trial.tokens === null ? null : formatCount(trial.tokens)],
    ['reward', reward && <Reward reward={reward} />],
    ['agent', agent && <UntrustedText text={agent} line max={600} />],
    ['policy', sample && <UntrustedText text={sample.words} line max={400} />],
    ['made', momentText(trial.createdAt)],
    ['begun', trial.startedAt === null ? null : momentText(trial.startedAt)],
    ['ended', trial.endedAt === null ? null : momentText(trial.endedAt)],
    ['candidate', trial.candidateId && <span className="mono">{trial.candidateId.slice(0, 12)}</span>],
  ];
  return facts.filter(([, value]) => value !== null && value !== '');
}

function stalenessText(staleness: number | null): string | null {
  if (staleness === null) return null;
  if (staleness === 0) return 'none: its proposer knew all ended trials';
  return `${plural(staleness, 'trial')} ended while it was proposed`;
}

function Reward({ reward: { value, parts, reason } }: { reward: NonNullable<Trial['reward']> }) {
  const partTexts = Object.entries(parts).map(([name, part]) => `${name} ${formatValue(part)}`);
  const details = [...partTexts, reason ?? ''].filter(Boolean);
  return (
    <>
      {value === null ? 'none' : formatValue(value)}
      {details.length === 0 ? null : (
        <span className="quiet">
          {' '}
          <UntrustedText text={details.join(' · ')} line max={400} />
        </span>
      )}
    </>
  );
}
