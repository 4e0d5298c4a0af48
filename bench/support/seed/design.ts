import type { Random } from '../../../domain/statistics/random.ts';

/** A number of `config.yaml`: its first value, its best value, and the loss at a factor of e beside the best. */
interface Knob {
  name: string;
  start: number;
  best: number;
  weight: number;
  whole?: boolean;
  /** Reasons in a hypothesis, for more of it and for less. */
  more: string;
  less: string;
}

const KNOBS: readonly Knob[] = [
  {
    name: 'learning_rate',
    start: 0.0003,
    best: 0.0021,
    weight: 0.032,
    more: 'the loss still falls steeply when the budget ends',
    less: 'the loss jumps in the first hundred steps',
  },
  {
    name: 'batch_size',
    start: 64,
    best: 22,
    weight: 0.024,
    whole: true,
    more: 'gradients are noisy late in the run',
    less: 'more steps fit into the same seconds',
  },
  {
    name: 'warmup_steps',
    start: 200,
    best: 70,
    weight: 0.011,
    whole: true,
    more: 'the first steps are unstable',
    less: 'a fifth of the budget is spent below the full rate',
  },
  {
    name: 'weight_decay',
    start: 0.1,
    best: 0.02,
    weight: 0.007,
    more: 'weights grow until the end',
    less: 'so short a run does not overfit',
  },
  {
    name: 'model_width',
    start: 192,
    best: 268,
    weight: 0.19,
    whole: true,
    more: 'capacity limits the loss, not the number of steps',
    less: 'a narrower model takes more steps in the budget',
  },
  {
    name: 'beta2',
    start: 0.999,
    best: 0.955,
    weight: 1.1,
    more: 'the second moment is too jumpy',
    less: 'a short run needs a faster second moment',
  },
  {
    name: 'init_scale',
    start: 0.02,
    best: 0.009,
    weight: 0.012,
    more: 'activations are small in the last layers',
    less: 'the first loss is far above that of a uniform guess',
  },
  {
    name: 'grad_clip',
    start: 1,
    best: 0.45,
    weight: 0.006,
    more: 'most steps are clipped',
    less: 'single batches move the weights too far',
  },
];

/** A line of `train.py` with its variants, each with the loss that it adds. */
interface Line {
  name: string;
  variants: readonly { text: string; words: string; loss: number }[];
}

const LINES: readonly Line[] = [
  {
    name: 'activation',
    variants: [
      { text: 'h = torch.relu(self.up(x))', words: 'ReLU', loss: 0.041 },
      { text: 'h = F.gelu(self.up(x))', words: 'GELU', loss: 0.017 },
      { text: 'h = torch.relu(self.up(x)).square()', words: 'squared ReLU', loss: 0 },
      { text: 'h = F.silu(self.gate(x)) * self.up(x)', words: 'SwiGLU', loss: 0.006 },
    ],
  },
  {
    name: 'schedule',
    variants: [
      { text: 'scale = 1.0', words: 'a constant rate', loss: 0.06 },
      { text: 'scale = 0.5 * (1 + math.cos(math.pi * share))', words: 'a cosine', loss: 0.012 },
      {
        text: 'scale = min(1.0, (1 - share) / 0.4)',
        words: 'a constant rate that falls to zero in the last 40 %',
        loss: 0,
      },
    ],
  },
  {
    name: 'norm',
    variants: [
      { text: 'x = self.layer_norm(x)', words: 'LayerNorm', loss: 0.014 },
      { text: 'x = F.rms_norm(x, (x.size(-1),))', words: 'RMSNorm', loss: 0.003 },
      { text: 'x = F.rms_norm(x, (x.size(-1),)) * self.depth_scale', words: 'RMSNorm scaled by depth', loss: 0 },
    ],
  },
  {
    name: 'embedding',
    variants: [
      { text: 'head = self.embed.weight', words: 'tied embeddings', loss: 0 },
      { text: 'head = self.head.weight', words: 'a head of its own', loss: 0.013 },
    ],
  },
];

/** A version of the mutable files: values of the knobs and variants of the lines. */
export interface Design {
  values: readonly number[];
  variants: readonly number[];
}

export const FIRST_DESIGN: Design = { values: KNOBS.map(({ start }) => start), variants: [0, 0, 0, 1] };

/** The loss of the best possible design. */
const FLOOR = 2.58;

/** The loss of a design without noise. */
export function lossOf({ values, variants }: Design): number {
  const knobs = KNOBS.map(({ best, weight }, i) => weight * Math.log((values[i] ?? best) / best) ** 2);
  const lines = LINES.map(({ variants: all }, i) => all[variants[i] ?? 0]?.loss ?? 0);
  return [...knobs, ...lines].reduce((sum, loss) => sum + loss, FLOOR);
}

/** Draws a change of a design, with its hypothesis. */
export function changeDesign(design: Design, random: Random): { design: Design; hypothesis: string } {
  return random.uniform() < 0.12 ? changedLine(design, random) : changedKnob(design, random);
}

function changedLine({ values, variants }: Design, random: Random): { design: Design; hypothesis: string } {
  const at = random.below(LINES.length);
  const all = LINES[at]?.variants ?? [];
  const from = variants[at] ?? 0;
  const to = (from + 1 + random.below(Math.max(1, all.length - 1))) % all.length;
  const next = variants.map((variant, i) => (i === at ? to : variant));
  const [now, before] = [all[to]?.words ?? '', all[from]?.words ?? ''];
  const hypothesis = `Use ${now} in place of ${before}: it helped models of this size before.`;
  return { design: { values, variants: next }, hypothesis };
}

function changedKnob({ values, variants }: Design, random: Random): { design: Design; hypothesis: string } {
  const at = random.below(KNOBS.length);
  const knob = KNOBS[at];
  if (!knob) throw new Error('expected a knob');
  const from = values[at] ?? knob.start;
  const factor = Math.exp(random.normal() * 0.35 + 0.02);
  const to = knob.whole ? Math.max(1, Math.round(from * factor)) : Number((from * factor).toPrecision(4));
  const next = values.map((value, i) => (i === at ? to : value));
  const why = to > from ? knob.more : knob.less;
  const verb = to > from ? 'Raise' : 'Lower';
  const name = knob.name.replaceAll('_', ' ');
  return { design: { values: next, variants }, hypothesis: `${verb} ${name} from ${from} to ${to}: ${why}.` };
}

/** The mutable files of a design, by path. */
export const filesOf = (design: Design): Record<string, string> => ({
  'config.yaml': configText(design),
  'train.py': trainText(design),
});

const configText = ({ values }: Design): string =>
  ['# Read by train.py.', ...KNOBS.map(({ name }, i) => `${name}: ${values[i] ?? 0}`), ''].join('\n');

function trainText({ variants }: Design): string {
  const [activation, schedule, norm, head] = LINES.map(({ variants: all }, i) => all[variants[i] ?? 0]?.text ?? '');
  return `import math
import torch
import torch.nn.functional as F
from model import Block, load_config, batches

config = load_config("config.yaml")


class FeedForward(Block):
    def forward(self, x):
        ${norm}
        ${activation}
        return self.down(h)


def rate(step, steps):
    share = step / steps
    warmup = min(1.0, step / config.warmup_steps)
    ${schedule}
    return config.learning_rate * warmup * scale


def logits(self, x):
    ${head}
    return F.linear(x, head)
`;
}
