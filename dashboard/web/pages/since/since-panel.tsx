import { formatSeconds } from '../../../../domain/text/format.ts';
import type { ResearchSince, Since, SinceOne } from '../../../api/research/since.ts';
import { useLook } from '../../data/use-look.ts';
import { useNow } from '../../data/use-now.ts';
import { researchPath, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { dayText, inBrowserZone, timeText } from '../../parts/zone.ts';
import type { Axis } from '../../../../view/page/series/axis.ts';
import { hrefOf } from '../../router.ts';
import { countEnded, sinceFigures, stretchHref } from './figures.ts';

/** Least time between two reads: a person reads this panel once, so it need not follow each trial. */
const SPACING_MS = 10_000;
/** Interval of reads while nothing changes: the share of slot time falls meanwhile. */
const EVERY_MS = 60_000;
/** Number of researches shown at first; the others are folded. */
const FIRST = 5;

/** Reads what happened in a research since the browser's last look, with the begin on an axis of its chart. */
export function useSinceOne(id: string, axis: Axis): SinceOne | undefined {
  const { since } = useLook();
  const path = withQuery(researchPath(id, 'since'), { at: since, x: axis });
  return useResource<SinceOne>(path, { research: id, spacingMs: SPACING_MS, everyMs: EVERY_MS }).data;
}

/** First panel of a research's page: what happened since this browser last looked. */
export function SinceOnePanel({ one }: { one: SinceOne | undefined }) {
  if (one === undefined) return <p className="since quiet small">Counting what happened since you last looked …</p>;
  return (
    <section className="since" aria-label="Since you last looked">
      <p>
        <a href={stretchHref(one, one)} data-since="begin">
          <SinceWords since={one.since} />
        </a>
        : <Figures one={one} period={one} />
      </p>
    </section>
  );
}

/** First panel of the start page: what happened in each research since this browser last looked. */
export function SincePanel() {
  const { since } = useLook();
  const { data } = useResource<Since>(withQuery('researches/since', { at: since }), {
    spacingMs: SPACING_MS,
    everyMs: EVERY_MS,
  });
  if (data === undefined) return <p className="since quiet small">Counting what happened since you last looked …</p>;
  const happened = data.researches.filter(didSomething);
  const [shown, others] = [happened.slice(0, FIRST), happened.slice(FIRST)];
  return (
    <section className="since" aria-label="Since you last looked">
      <p>
        <strong>
          <SinceWords since={data.since} />
        </strong>
        {happened.length === 0 ? ': nothing happened' : ''}
      </p>
      <Lines researches={shown} period={data} />
      {others.length === 0 ? null : (
        <details>
          <summary className="small">{others.length} more</summary>
          <Lines researches={others} period={data} />
        </details>
      )}
    </section>
  );
}

const didSomething = (one: ResearchSince): boolean => countEnded(one) > 0 || one.claims > 0 || one.stops !== null;

interface Period {
  since: string;
  now: string;
}

const Lines = ({ researches, period }: { researches: readonly ResearchSince[]; period: Period }) => (
  <ul>
    {researches.map((one) => (
      <li key={one.id}>
        <a href={hrefOf(['r', one.id])}>{one.id}</a>: <Figures one={one} period={period} />
      </li>
    ))}
  </ul>
);

function Figures({ one, period }: { one: ResearchSince; period: Period }) {
  return (
    <>
      {sinceFigures(one, period).map(({ name, text, why, href }, index) => (
        <span key={name}>
          {index === 0 ? '' : ', '}
          <a href={href} data-since={name}>
            {text}
          </a>
          {why === null ? null : (
            <>
              {' ('}
              <UntrustedText text={inBrowserZone(why)} line max={80} />)
            </>
          )}
        </span>
      ))}
    </>
  );
}

/** `since 23:04 (9 h)`, or `last 24 h` in a browser that looks for the first time. */
function SinceWords({ since }: Pick<Period, 'since'>) {
  const now = useNow();
  const { isFirst } = useLook();
  const seconds = Math.max(0, now.getTime() - Date.parse(since)) / 1000;
  const age = formatSeconds(Math.floor(seconds / 60) * 60).replace(/^0\.0 s$/, 'under a minute');
  if (isFirst) return <>last {seconds < 25 * 3600 ? '24 h' : age}</>;
  return (
    <>
      since {momentOn(new Date(since), now)} ({age})
    </>
  );
}

/** Hours and minutes of a moment, with its day if that is not today. */
function momentOn(at: Date, now: Date): string {
  const time = timeText(at).slice(0, 5);
  return dayText(at) === dayText(now) ? time : `${dayText(at)} ${time}`;
}
