import { Module } from '@nestjs/common';
import { DashboardController } from './dashboard.controller.js';

/** Serves the dashboard. An application imports it last, because its route matches every path. */
@Module({ controllers: [DashboardController] })
export class DashboardModule {}
