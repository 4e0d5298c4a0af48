import type { Placement, Trial } from '../../../../api/trials/trial.ts';
import { formatSeconds } from '../../../../../domain/text/format.ts';
import { Panel } from '../../../parts/panel.tsx';
import { UntrustedText } from '../../../parts/untrusted-text.tsx';
import { momentText } from '../../../parts/zone.ts';

/** Panel with the trial's placements: slot, machine, times and end of each run. */
export function Placements({ trial }: { trial: Trial }) {
  const { placements, compute, waits } = trial;
  return (
    <Panel title="Machine" note={compute ?? undefined}>
      <div className="stack">
        {waits === null ? null : (
          <p className="waits">
            It waits <UntrustedText text={waits} line max={600} />
          </p>
        )}
        {placements.length === 0 ? (
          <p className="quiet">{trial.status === null ? 'It has no slot yet.' : 'It did not run.'}</p>
        ) : (
          placements.map((run) => <Run key={run.placement} run={run} numbered={placements.length > 1} />)
        )}
      </div>
    </Panel>
  );
}

function Run({ run, numbered }: { run: Placement; numbered: boolean }) {
  const { placement, slot, machine, seconds, cpuSeconds, end, shortage, contention, launchedAt } = run;
  const facts: [string, string | null][] = [
    ['machine', machine],
    ['begun', launchedAt === null ? null : momentText(launchedAt)],
    ['run time', seconds === null ? null : formatSeconds(seconds)],
    ['CPU time', cpuSeconds === null ? null : formatSeconds(cpuSeconds)],
    ['end', end ?? 'under way'],
  ];
  return (
    <div className="placement">
      <h3>
        {numbered ? `Run ${placement} on ` : 'On '}
        <UntrustedText text={slot} line max={100} />
      </h3>
      <dl className="facts">
        {facts.map(([name, text]) =>
          text === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <UntrustedText text={text} line max={400} />
              </dd>
            </div>
          ),
        )}
      </dl>
      {shortage === null ? null : (
        <p className="warn small">
          Not counted: the machine lacked <UntrustedText text={shortage} line max={400} />
        </p>
      )}
      {contention === null ? null : (
        <p className="warn small">
          Not counted: <UntrustedText text={contention} line max={400} />
        </p>
      )}
    </div>
  );
}
