/** A request that was refused. The message is a sentence for people. */
export class Refusal extends Error {}
