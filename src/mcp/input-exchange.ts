import { isJsonObject } from '../text/is-json-object.js';
import {
  type Answers,
  type InputRequest,
  type InputRequests,
  InputRequired,
  MissingCapability,
} from '../tools/contract/input-request.js';
import type {
  RequestBinding,
  RequestState,
  RequestStates,
} from '../tools/pipeline/request-states.js';
import { JsonRpcError } from './json-rpc-error.js';
import { type JsonObject, own } from './json-rpc.js';

/** Handles the input requests of one call in MCP 2026-07-28, and the responses that came with the request. */
export class InputExchange {
  private readonly state?: RequestState;
  private readonly responses: JsonObject;
  private readonly answered: JsonObject;

  /** With `needsState`, responses count only with a request state, so that a call with effects happens once. */
  constructor(
    private readonly states: RequestStates,
    private readonly binding: () => RequestBinding,
    private readonly capabilities: JsonObject,
    { inputResponses = {}, requestState }: JsonObject,
    needsState: boolean,
  ) {
    if (!isJsonObject(inputResponses)) {
      throw JsonRpcError.invalidParams('inputResponses must be an object.');
    }
    if (requestState !== undefined) {
      this.state =
        typeof requestState === 'string' ? states.open(binding(), requestState) : undefined;
      if (!this.state) {
        throw JsonRpcError.invalidParams(
          'requestState belongs to another request or has expired. Send the request again without it.',
        );
      }
    }
    this.responses = needsState && !this.state ? {} : inputResponses;
    this.answered = { ...this.state?.answers };
  }

  /** Returns the idempotency key of the input requests, or undefined before the first input request. */
  get idempotencyKey(): string | undefined {
    return this.state && `request ${this.state.nonce}`;
  }

  canAsk(request: InputRequest): boolean {
    return Object.entries(request.capability).every(([name, wanted]) => {
      const declared = this.capabilities[name];
      if (!isJsonObject(declared)) return false;
      // A capability without modes means the form mode (MCP, client/elicitation).
      const modes = Object.keys(declared);
      return modes.length === 0 || Object.keys(wanted).every((mode) => modes.includes(mode));
    });
  }

  async ask<Requests extends InputRequests>(requests: Requests): Promise<Answers<Requests>> {
    const answers: Record<string, unknown> = {};
    const missing: Record<string, InputRequest> = {};
    for (const [name, request] of Object.entries(requests)) {
      const response = own(this.responses, name) ?? own(this.answered, name);
      const answer = response === undefined ? undefined : request.read(response);
      if (answer === undefined) {
        missing[name] = request;
      } else {
        answers[name] = answer;
        this.answered[name] = response;
      }
    }
    if (Object.keys(missing).length === 0) return answers as Answers<Requests>;
    for (const request of Object.values(missing)) {
      if (!this.canAsk(request)) throw new MissingCapability(request.capability);
    }
    const nonce = this.state?.nonce ?? this.states.newNonce();
    const state = { nonce, answers: this.answered };
    throw new InputRequired(missing, this.states.seal(this.binding(), state));
  }
}
