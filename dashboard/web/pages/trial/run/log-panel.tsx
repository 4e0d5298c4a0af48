import { useEffect, useMemo, useRef, useState } from 'react';
import type { Log, Trial } from '../../../../api/trials/trial.ts';
import { trialPath } from '../../../data/fetch-json.ts';
import { useResource } from '../../../data/use-resource.ts';
import { plural } from '../../../../../domain/text/plural.ts';
import { withoutEscapes } from '../../../../../domain/text/sanitize.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { Panel } from '../../../parts/panel.tsx';
import { UntrustedText } from '../../../parts/untrusted-text.tsx';
import { trialRefresh } from '../trial-refresh.ts';
import { formatInteger } from '../../../parts/numbers.ts';

/** Number of lines shown at first: the last ones. */
const SHOWN = 300;
/** Limit of characters shown of a line. */
const LINE_SHOWN = 1000;

/** Panel with the stored end of the run's output. */
export function LogPanel({ trial }: { trial: Trial }) {
  const { data, error } = useResource<Log>(trialPath(trial.trialId, 'log'), trialRefresh(trial));
  const [search, setSearch] = useState('');
  const [wrap, setWrap] = useState(true);
  const text = data?.text ?? null;
  return (
    <Panel
      title="Log"
      note={data && text !== null ? noteOf(data) : undefined}
      end={
        text === null ? undefined : (
          <>
            <input
              type="search"
              className="log-search"
              value={search}
              placeholder="Search the log"
              aria-label="Search the log"
              onChange={(event) => setSearch(event.target.value)}
            />
            <button type="button" className="button small" aria-pressed={wrap} onClick={() => setWrap(!wrap)}>
              Wrap
            </button>
            <Copy text={text} name="the log" />
          </>
        )
      }
    >
      {text !== null ? <Lines text={text} search={search} wrap={wrap} /> : <Nothing trial={trial} error={error} />}
    </Panel>
  );
}

const noteOf = ({ cut, placement }: Log): string =>
  [cut ? 'its stored end' : 'complete', placement !== null && placement > 1 ? `of run ${placement}` : '']
    .filter(Boolean)
    .join(', ');

function Nothing({ trial, error }: { trial: Trial; error: Error | undefined }) {
  if (error) return <Empty>{error.message}</Empty>;
  if (trial.status === null)
    return <Empty>No log is stored yet. It is stored while the run goes on, and at its end.</Empty>;
  return <Empty>{trial.startedAt === null ? 'The trial did not run, so there is no log.' : 'No log is stored.'}</Empty>;
}

/** A line of a log with its number in the stored part, counted from 1. */
interface LogLine {
  no: number;
  text: string;
}

/** Splits a log into lines, without terminal escapes. A carriage return, which overwrites a line, starts a new line. */
export function linesOfLog(text: string): LogLine[] {
  const lines = withoutEscapes(text).split(/\r\n|[\n\r]/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, at) => ({ no: at + 1, text: line }));
}

/** The lines that contain a text, ignoring case. */
export function linesWith(lines: readonly LogLine[], search: string): readonly LogLine[] {
  const needle = search.toLowerCase();
  return needle === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(needle));
}

function Lines({ text, search, wrap }: { text: string; search: string; wrap: boolean }) {
  const [all, setAll] = useState(false);
  const lines = useMemo(() => linesOfLog(text), [text]);
  const found = useMemo(() => linesWith(lines, search), [lines, search]);
  const shown = all ? found : found.slice(-SHOWN);
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [shown.length, text, wrap]);
  return (
    <>
      {search === '' ? null : (
        <p className="quiet small" role="status">
          {found.length === 0
            ? 'No line matches.'
            : `${plural(found.length, 'line')} of ${formatInteger(lines.length)}`}
        </p>
      )}
      {shown.length < found.length ? (
        <button type="button" className="button small more-lines" onClick={() => setAll(true)}>
          Show {formatInteger(found.length - shown.length)} earlier lines
        </button>
      ) : null}
      <div
        ref={box}
        className="log"
        data-wrap={wrap}
        tabIndex={0}
        role="region"
        aria-label="Lines of the log"
        onScroll={({ currentTarget: element }) => {
          atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
        }}
      >
        {shown.map(({ no, text: line }) => (
          <div key={no} className="log-line">
            <UntrustedText text={line} max={LINE_SHOWN} />
          </div>
        ))}
      </div>
    </>
  );
}
