import { useEffect, useState } from 'react';
import type { Trial as Data } from '../../../api/trials/trial.ts';
import { PROPOSAL_KINDS } from '../../../../domain/trial.ts';
import { trialPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Command } from '../../parts/command.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { parseAddress } from '../../address.ts';
import { useAddress } from '../../router.ts';
import { ResearchHeader, useResearch } from '../research/header.tsx';
import { listHref } from './list-links.ts';
import { CallsPanel } from './calls-panel.tsx';
import { CurvePanel } from './run/curve-panel.tsx';
import { DiffPanel } from './diff-panel.tsx';
import { Facts } from './facts.tsx';
import { Family } from './family.tsx';
import { LIVE_MS } from './trial-refresh.ts';
import { TrialHead } from './trial-head.tsx';
import { IdeaPanel } from './idea-panel.tsx';
import { LogPanel } from './run/log-panel.tsx';
import { Placements } from './run/placements.tsx';

/** Page of a trial, from its idea to its outcome. */
export function Trial({ at }: { at: Record<string, string> }) {
  const { id: research = '', n = '' } = at;
  const trialId = `${research}/${n}`;
  const { data: head } = useResearch(research);
  const { data, error } = useTrial(research, trialId);
  useEscape(research);
  const { params } = useAddress();
  const sd = head?.status.baseline?.sd ?? null;
  return (
    <>
      <ResearchHeader id={research} tab="trials" research={head} />
      {data ? (
        <Parts key={data.trialId} trial={data} sd={sd} />
      ) : (
        <Empty>
          {error ? (
            <>
              {error.message} · <a href={listHref(research, params)}>All trials</a>
            </>
          ) : (
            'Reading the trial'
          )}
        </Empty>
      )}
    </>
  );
}

function Parts({ trial, sd }: { trial: Data; sd: number | null }) {
  return (
    <article className="trial" aria-label={`Trial ${trial.n}`}>
      <TrialHead trial={trial} sd={sd} />
      <div className="trial-parts">
        <div className="trial-main">
          <IdeaPanel trial={trial} sd={sd} />
          <DiffPanel trial={trial} />
          <CurvePanel trial={trial} />
          <LogPanel trial={trial} />
          {PROPOSAL_KINDS.includes(trial.kind) ? <CallsPanel trial={trial} /> : null}
        </div>
        <div className="trial-side">
          <Placements trial={trial} />
          <Facts trial={trial} />
          <Family trial={trial} />
          <Elsewhere trial={trial} />
        </div>
      </div>
    </article>
  );
}

/** Panel with the trial in other tools: commands to copy, and the workflow in Temporal. */
function Elsewhere({ trial: { commands, temporalUrl } }: { trial: Data }) {
  return (
    <Panel title="Elsewhere">
      <div className="stack">
        {commands.map(({ label, command }) => (
          <div key={command}>
            <h3>{label}</h3>
            <Command command={command} />
          </div>
        ))}
        {temporalUrl === null ? null : (
          <a href={temporalUrl} target="_blank" rel="noreferrer">
            Its workflow in Temporal
          </a>
        )}
      </div>
    </Panel>
  );
}

/** Reads a trial. A trial under way also changes without events, so it is polled. */
function useTrial(research: string, trialId: string) {
  const [underWay, setUnderWay] = useState(false);
  const resource = useResource<Data>(trialPath(trialId), { research, ...(underWay ? { everyMs: LIVE_MS } : {}) });
  // While the answer for another trial is under way, the resource still has the previous trial.
  const data = resource.data?.trialId === trialId ? resource.data : undefined;
  const isUnderWay = data?.status === null;
  useEffect(() => setUnderWay(isUnderWay), [isUnderWay]);
  return { ...resource, data };
}

function useEscape(research: string): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.target instanceof HTMLInputElement) return;
      location.hash = listHref(research, parseAddress(location.hash).params);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [research]);
}
