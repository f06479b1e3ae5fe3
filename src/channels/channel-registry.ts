import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError } from '../errors/app-error.js';
import type { DeliveryChannel } from './channel-contract.js';
import { Channel, type ChannelOptions } from './channel.decorator.js';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;
const METHODS = ['addressOf', 'isAddress', 'checkContent', 'handOver'] as const;

/** A channel with its options. */
export interface RegisteredChannel {
  readonly options: ChannelOptions;
  readonly channel: DeliveryChannel;
}

/**
 * Finds the classes with `@Channel` at boot. Two channels with the same name, or a class that lacks a method, stop the
 * process. Otherwise messages could wait for a channel that cannot send them.
 */
@Injectable()
export class ChannelRegistry implements OnModuleInit {
  private readonly channels = new Map<string, RegisteredChannel>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const places = new Map<string, string>();
    const seen = new Set<unknown>();
    for (const wrapper of this.discovery.getProviders()) {
      const options = this.discovery.getMetadataByDecorator(Channel, wrapper);
      if (!options || seen.has(wrapper.instance)) continue;
      seen.add(wrapper.instance);
      const place = String(wrapper.name);
      if (!wrapper.isDependencyTreeStatic()) {
        throw new Error(
          `${place}: a request-scoped provider cannot be a channel. Remove the scope.`,
        );
      }
      const other = places.get(options.name);
      if (other !== undefined) {
        throw new Error(
          other === place
            ? `The channel ${options.name} is registered twice: list ${place} under providers of one module only.`
            : `Two channels are called ${options.name}: ${other} and ${place}. Rename or remove one of them.`,
        );
      }
      places.set(options.name, place);
      this.channels.set(options.name, registered(options, wrapper.instance, place));
    }
  }

  /** Returns all channels, sorted by name. */
  all(): RegisteredChannel[] {
    return this.names().map((name) => this.channels.get(name)!);
  }

  /** Returns the names of all channels, sorted. */
  names(): string[] {
    return [...this.channels.keys()].sort();
  }

  find(name: string): RegisteredChannel | undefined {
    return this.channels.get(name);
  }

  /** Returns the channel. Throws `invalid_arguments`, with the names that exist, when there is none. */
  get(name: string, path = 'channel'): RegisteredChannel {
    const found = this.channels.get(name);
    if (found) return found;
    throw AppError.invalidField(path, `must be one of ${this.names().join(', ')}`);
  }
}

function registered(options: ChannelOptions, instance: unknown, place: string): RegisteredChannel {
  if (!NAME.test(options.name)) {
    throw new Error(
      `${place}: "${options.name}" is not a valid name for a channel (${NAME.source}).`,
    );
  }
  const methods = instance as Partial<Record<string, unknown>>;
  const missing = METHODS.filter((name) => typeof methods[name] !== 'function');
  if (missing.length > 0) {
    throw new Error(`${place}: a channel must have these methods: ${missing.join(', ')}.`);
  }
  return { options, channel: instance as DeliveryChannel };
}
