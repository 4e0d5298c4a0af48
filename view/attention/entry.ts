/** A condition that a person's act changes, with commands to copy: an entry of "needs you". */
export interface Attention {
  /** Stable name of the condition: its rule and its cause, such as `endpoint:api.openai.com`. */
  key: string;
  /** The nature of the cause. An entry that was put away comes back if this changes. */
  fingerprint: string;
  /** Ids of the affected researches; empty if the condition concerns a host. */
  researches: string[];
  /** `warning`: work stands still or is lost. `notice`: work goes on, at a disadvantage. */
  level: 'notice' | 'warning';
  title: string;
  why: string | null;
  /** Its beginning, in ISO 8601; null if unknown. */
  at: string | null;
  commands: string[];
}

/** An entry that a person put away for everybody: no page shows it, and no message repeats it. */
export interface DismissedAttention extends Attention {
  /** Time at which it was put away, in ISO 8601. */
  dismissedAt: string;
}

/** A condition that a person chose, or that ends by itself: it is shown in grey and asks for nothing. */
export type CalmState = Pick<Attention, 'researches' | 'title' | 'why' | 'at' | 'commands'>;

/** The conditions of researches and hosts. */
export interface NeedsYou {
  attention: Attention[];
  states: CalmState[];
}

/** A condition that a rule found, before equal causes of several researches are joined. */
export interface Finding {
  /** The cause, as the last part of the key: an address, a host, a research. Never varying text, counts or times. */
  cause: string;
  fingerprint: string;
  researches: string[];
  title: string;
  why: string | null;
  at: string | null;
  commands: string[];
}
