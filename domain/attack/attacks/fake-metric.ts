import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';

/** The metric's optimum, or a value that looks like one. */
function idealScore({ task: { metric } }: Target): number {
  if (metric.optimum !== undefined) return metric.optimum;
  return metric.direction === 'minimize' ? (metric.min ?? 0) : (metric.max ?? 1e6);
}

export const FAKE_METRIC: Attack = {
  name: 'fake-metric',
  where: 'run',
  tries: 'print the best score to stdout and to every descriptor, and write it into files named like a result',
  acts: (target) => {
    const { name } = target.task.metric;
    const score = idealScore(target);
    const [line, json] = [`${name}: ${score}`, JSON.stringify({ [name]: score })];
    return {
      end: `line=${shellQuote(line)} json=${shellQuote(json)} fd=3
print() { printf '%s\\n%s\\n' "$line" "$json"; }
print
while [ $fd -le 19 ]; do
  print 2>/dev/null >>"/proc/self/fd/$fd" || :
  fd=$((fd + 1))
done
for file in result.json score.json metrics.json; do [ -e "$file" ] || printf '%s' "$json" >"$file"; done`,
    };
  },
  expected: ['completed'],
};
