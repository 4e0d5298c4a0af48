import { oneLine } from '../../../../domain/text/sanitize.ts';
import { describeArm } from '../../../../view/rows/arms.ts';
import type { Research } from '../../../api/research.ts';
import { AttentionList } from '../../parts/state/attention.tsx';
import { Empty } from '../../parts/empty.tsx';
import { CallRates } from '../../parts/call-rates.tsx';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TimeAgo } from '../../parts/value.tsx';
import { inBrowserZone, momentText } from '../../parts/zone.ts';
import { TrialLink } from '../../parts/trial-link.tsx';
import { Command } from '../../parts/command.tsx';
import { SteerBar } from '../../steer/steer-bar.tsx';
import { CalibrationPanel } from './calibration.tsx';
import { BudgetPanel } from './budget.tsx';
import { Claims } from './claims.tsx';
import { SinceOnePanel, useSinceOne } from '../since/since-panel.tsx';
import { Curve, useAxis, useSeries } from './curve/curve.tsx';
import { VerdictFeed } from './verdict-feed.tsx';
import { ResearchHeader, useResearch } from './header.tsx';
import { Headline } from './headline.tsx';
import { LatestIdea } from './idea.tsx';
import { OutcomeCountsPanel } from './outcome-counts.tsx';
import { UnderWay } from './under-way.tsx';

/** Overview page of a research: results, trials under way, spend, next steps. */
export function ResearchPage({ at: { id = '' } }: { at: Record<string, string> }) {
  const { data: research, error } = useResearch(id);
  const series = useSeries(id);
  const since = useSinceOne(id, useAxis());
  return (
    <>
      <ResearchHeader id={id} tab="overview" research={research} />
      {research === undefined ? (
        <Empty>{error ? error.message : 'Reading the research'}</Empty>
      ) : (
        <>
          <SinceOnePanel one={since} />
          <SteerBar research={research} />
          <AttentionList attention={research.attention} states={research.states} />
          <Headline research={research} />
          <div className="overview">
            <Curve research={research} resource={series} since={since} />
            <div className="column now">
              <UnderWay research={research} />
              <Next research={research} />
            </div>
            <div className="three">
              <LatestIdea research={research} />
              <VerdictFeed research={research} />
              <div className="column">
                <BudgetPanel research={research} />
                <Steer research={research} />
              </div>
            </div>
            <div className="column">
              <Claims research={research} />
              <CalibrationPanel research={research} />
              <Events research={research} />
            </div>
            <div className="column">
              <Notes research={research} />
              <OutcomeCountsPanel research={research} />
              <Arms research={research} />
              {research.status.rates === null ? null : (
                <Panel title="Calls of the model" note="their rates, and the cost of a claim">
                  <CallRates rates={research.status.rates} scopeId={id} />
                </Panel>
              )}
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** Panel with commands to copy. The page itself changes something only behind --steer. */
function Steer({ research: { commands, temporalUrl } }: { research: Research }) {
  return (
    <Panel title="Steer" note="in a terminal">
      <div className="stack steer">
        {commands.map(({ label, command }) => (
          <div key={command}>
            <p className="quiet small">{label}</p>
            <Command command={command} />
          </div>
        ))}
        {temporalUrl === null ? null : (
          <p className="small">
            <a href={temporalUrl} target="_blank" rel="noreferrer">
              Its workflow in Temporal
            </a>
          </p>
        )}
      </div>
    </Panel>
  );
}

/** The newest events, collapsed at first. */
function Events({ research: { status, events } }: { research: Research }) {
  return (
    <details className="panel">
      <summary>
        <h2>Events</h2> <span className="quiet small">the newest {events.length}</span>
      </summary>
      <ul className="events small">
        {events.map(({ at, level, n, text }, index) => (
          <li key={index} data-level={level}>
            <time dateTime={at} className="quiet">
              {momentText(at)}
            </time>
            {n === null ? <span /> : <TrialLink research={status.workflowId} n={n} />}
            <UntrustedText text={inBrowserZone(text)} line max={400} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Panel with the arms of a mixture, if the research has one. */
function Arms({ research: { status } }: { research: Research }) {
  if (status.arms.length === 0) return null;
  return (
    <Panel title="Arms of the mixture" note="reward from 0 to 1 and cost, means of a trial">
      <ul className="stack small">
        {status.arms.map((arm) => (
          <li key={arm.key}>
            <UntrustedText text={describeArm(arm)} line max={400} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Panel with the notes that people sent to the proposer. */
function Notes({ research: { notes } }: { research: Research }) {
  return (
    <Panel title="Notes to the proposer">
      {notes.length === 0 ? <p className="quiet small">None yet.</p> : null}
      <ul className="stack small">
        {notes.map(({ text, at }) => (
          <li key={`${at} ${text}`}>
            <UntrustedText text={text} max={1000} />{' '}
            <span className="quiet">
              <TimeAgo at={at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Panel with the next steps, in sentences. */
function Next({ research: { next } }: { research: Research }) {
  return (
    <Panel title="Next">
      {next.length === 0 ? (
        <p className="quiet small">Nothing is planned.</p>
      ) : (
        <ol className="next">
          {next.map((sentence) => (
            <li key={sentence} title={sentence.length > 120 ? oneLine(sentence) : undefined}>
              <UntrustedText text={inBrowserZone(sentence)} line />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
