import type { Research } from '../../../api/research.ts';
import { SERIES_AXES, type Axis } from '../../../../view/page/series/axis.ts';
import { researchPath } from '../../data/fetch-json.ts';
import { useResource, type Resource } from '../../data/use-resource.ts';
import { ExportMenu } from '../../parts/export/export-menu.tsx';
import { readResearchView } from '../../parts/export/read-research-view.ts';
import { PhaseBadge } from '../../parts/state/phase.tsx';
import { usePutAway } from '../../parts/state/put-away.ts';
import { useTitle } from '../../parts/state/title.ts';
import { parseAddress } from '../../address.ts';
import { hrefOf } from '../../router.ts';

export type Tab = 'overview' | 'trials' | 'lineage' | 'knobs' | 'learning';

const TABS: { tab: Tab; word: string; rest: readonly string[] }[] = [
  { tab: 'overview', word: 'Overview', rest: [] },
  { tab: 'trials', word: 'Trials', rest: ['trials'] },
  { tab: 'lineage', word: 'Lineage', rest: ['lineage'] },
  { tab: 'knobs', word: 'What mattered', rest: ['knobs'] },
  { tab: 'learning', word: 'Learning', rest: ['learning'] },
];

/** Reads a research, again after each change. */
export const useResearch = (id: string): Resource<Research> =>
  useResource<Research>(researchPath(id), { research: id, everyMs: 15_000 });

/** Head of every page of a research: its name, its phase with the reason, and links to its pages. */
export function ResearchHeader({ id, tab, research }: { id: string; tab: Tab; research: Research | undefined }) {
  useTitle(id, usePutAway(research?.attention ?? []).shown.length);
  const shown = TABS.filter((entry) => entry.tab !== 'learning' || research?.learns === true || tab === 'learning');
  return (
    <header className="research-head">
      <div className="title">
        <h1>{id}</h1>
        {research ? <PhaseBadge phase={research.status.phase} reason={research.status.reason} /> : null}
        {research ? <About research={research} /> : null}
        {research && tab === 'overview' ? (
          <span className="title-end">
            <ExportMenu view={() => readResearchView(id, currentAxis())} />
          </span>
        ) : null}
      </div>
      <nav className="tabs" aria-label={`Pages of ${id}`}>
        {shown.map((entry) => (
          <a
            key={entry.tab}
            href={hrefOf(['r', id, ...entry.rest])}
            aria-current={entry.tab === tab ? 'page' : undefined}
          >
            {entry.word}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** Axis of the curve in the address. */
function currentAxis(): Axis {
  const named = parseAddress(location.hash).params.get('x');
  return SERIES_AXES.find((axis) => axis === named) ?? 'trial';
}

/** Task and proposer of a research. */
function About({ research: { status, description } }: { research: Research }) {
  return (
    <span className="quiet small about" title={description ?? undefined}>
      {status.task === status.workflowId ? null : <>task {status.task} · </>}
      proposer {status.proposer}
    </span>
  );
}
