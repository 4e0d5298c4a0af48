import type { Learning as Data, Update } from '../../../api/learning.ts';
import { researchPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Command } from '../../parts/command.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ExportMenu } from '../../parts/export/export-menu.tsx';
import { Panel } from '../../parts/panel.tsx';
import { setParams, useAddress } from '../../router.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { ResearchHeader, useResearch } from '../research/header.tsx';
import { Curves } from './curves.tsx';
import { Summary } from './summary.tsx';
import { UpdateDetail } from './update-detail.tsx';
import { Versions } from './versions.tsx';
import { learningView } from './view.ts';
import { metricName, gateActionLabel } from './labels.ts';

/** Page of a policy's learning: its versions, the metrics of each update, and the trials that trained each version. */
export function Learning({ at: { id = '' } }: { at: Record<string, string> }) {
  const { data: research, error: failed } = useResearch(id);
  const path = research?.learns === true ? researchPath(id, 'learning') : null;
  const { data, error = failed } = useResource<Data>(path, { research: id, everyMs: 15_000 });
  const content = () => {
    if (research?.learns === false)
      return (
        <Empty>
          This research does not learn: its proposer, {research.status.proposer}, trains no policy. For a research that
          learns, this page shows the versions of its policy.
        </Empty>
      );
    if (!data) return <Empty>{error ? error.message : 'Reading the updates'}</Empty>;
    return <LearningParts id={id} learning={data} />;
  };
  return (
    <>
      <ResearchHeader id={id} tab="learning" research={research} />
      {content()}
    </>
  );
}

/** Limit of gates that are listed: the newest. */
const SHOWN = 30;

/** List of the gates that fired, the newest first. */
function Fired({ updates, choose }: { updates: readonly Update[]; choose: (k: number) => void }) {
  const fired = [...updates]
    .sort((a, b) => b.k - a.k)
    .flatMap(({ k, gates }) => gates.map((gate, index) => ({ ...gate, k, key: `${k} ${index}` })));
  return (
    <Panel title="Gates that fired" note={fired.length === 0 ? undefined : `${fired.length} in all`}>
      {fired.length === 0 ? (
        <p className="quiet">None: every number stayed within its limits.</p>
      ) : (
        <ul className="fired">
          {fired.slice(0, SHOWN).map(({ key, k, metric, then, words }) => (
            <li key={key}>
              <span aria-hidden="true" className={`gate-sign ${then}`}>
                {then === 'halt' ? '■' : '▼'}
              </span>
              <span>
                <button type="button" className="link" onClick={() => choose(k)}>
                  Update {k}
                </button>{' '}
                <strong>{metricName(metric)}</strong>, {gateActionLabel(then)}:{' '}
                <UntrustedText text={words} line max={500} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function LearningParts({ id, learning }: { id: string; learning: Data }) {
  const requested = Number(useAddress().params.get('k') ?? NaN);
  const { updates, commands, version } = learning;
  const chosen =
    updates.find(({ k }) => k === requested) ?? updates.findLast(({ state }) => state !== 'due') ?? updates.at(-1);
  const choose = (k: number) => setParams({ k });
  return (
    <>
      <Summary learning={learning} />
      {updates.length === 0 ? (
        <Empty>No update yet: the first one begins when its batch is full. Until then the base model proposes.</Empty>
      ) : (
        <div className="grid">
          <Curves
            end={<ExportMenu view={() => learningView(id, learning)} />}
            updates={updates}
            references={learning.references}
            evaluations={learning.evaluations}
            chosen={chosen?.k ?? null}
            choose={choose}
          />
          <Panel title="Versions" className="span-6" note="newest on top; the coloured dot is in force">
            <Versions updates={updates} version={version} chosen={chosen?.k ?? null} choose={choose} />
          </Panel>
          <div className="span-6 stack learning-side">
            {chosen ? <UpdateDetail key={chosen.k} id={id} update={chosen} /> : null}
            <Fired updates={updates} choose={choose} />
          </div>
        </div>
      )}
      {commands.length === 0 ? null : (
        <Panel title="Commands" note="to copy: this page changes nothing" className="learning-commands">
          <div className="stack">
            {commands.map(({ label, command }) => (
              <Command key={command} label={label} command={command} />
            ))}
          </div>
        </Panel>
      )}
    </>
  );
}
