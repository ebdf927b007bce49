/** A refused request. The message is shown to people. */
export class Refusal extends Error {}
