// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "usage: train [--data DIR] [--optimizer sgd|adam|adamw] [--lr X] [--epochs N]\n"
    "             [--batch N] [--limit N] [--steps N] [--seed N] [--in-order]\n"
    "             [--checkpoint FILE] [--resume FILE] [--losses FILE]\n"
    "             [--want PERCENT]\n";

static const char* const names[] = {
    [OY_SGD] = "sgd", [OY_ADAM] = "adam", [OY_ADAMW] = "adamw"};
static const double rates[] = {[OY_SGD] = 0.01, [OY_ADAM] = 0.002, [OY_ADAMW] = 0.002};

const char* optimizer_name(oy_optimizer_kind kind) {
  return names[kind];
}

static bool parse_optimizer(const char* text, oy_optimizer_kind* out) {
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(text, names[i]) == 0) {
      *out = (oy_optimizer_kind)i;
      return true;
    }
  return false;
}
static bool parse_integer(const char* text, int64_t least, int64_t* out) {
  char* end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return errno == 0 && end != text && !*end && *out >= least && *out <= INT32_MAX;
}
static bool parse_number(const char* text, double* out) {
  char* end;
  *out = strtod(text, &end);
  return end != text && !*end && isfinite(*out) && *out >= 0;
}

static bool parse_one(int option, const char* text, options* o) {
  int64_t seed;
  switch (option) {
    case 'd': o->data = text; return true;
    case 'o': return parse_optimizer(text, &o->optimizer);
    case 'r': return parse_number(text, &o->lr);
    case 'e': return parse_integer(text, 0, &o->epochs);
    case 'b': return parse_integer(text, 1, &o->batch);
    case 'n': return parse_integer(text, 1, &o->limit);
    case 's': return parse_integer(text, 0, &o->steps);
    case 'S':
      if (!parse_integer(text, 0, &seed)) return false;
      o->seed = (uint64_t)seed;
      return true;
    case 'i': o->in_order = true; return true;
    case 'c': o->checkpoint = text; return true;
    case 'R': o->resume = text; return true;
    case 'l': o->losses = text; return true;
    case 'w': return parse_number(text, &o->want);
    default: return false;
  }
}

bool options_parse(int argc, char** argv, options* out) {
  static const struct option known[] = {
      {"data", 1, NULL, 'd'},     {"optimizer", 1, NULL, 'o'},
      {"lr", 1, NULL, 'r'},       {"epochs", 1, NULL, 'e'},
      {"batch", 1, NULL, 'b'},    {"limit", 1, NULL, 'n'},
      {"steps", 1, NULL, 's'},    {"seed", 1, NULL, 'S'},
      {"in-order", 0, NULL, 'i'}, {"checkpoint", 1, NULL, 'c'},
      {"resume", 1, NULL, 'R'},   {"losses", 1, NULL, 'l'},
      {"want", 1, NULL, 'w'},     {NULL, 0, NULL, 0}};
  *out = (options){.data = "/usr/share/datasets/fashion-mnist",
                   .optimizer = OY_ADAM,
                   .lr = -1,
                   .epochs = 1,
                   .batch = 32,
                   .steps = -1,
                   .seed = 1};
  int option, place = 0;
  while ((option = getopt_long(argc, argv, "", known, &place)) >= 0) {
    if (parse_one(option, optarg, out)) continue;
    if (option != '?')
      fprintf(stderr, "--%s: '%s' will not do\n", known[place].name, optarg);
    fputs(usage, stderr);
    return false;
  }
  if (optind < argc) {
    fprintf(stderr, "'%s' is no option\n%s", argv[optind], usage);
    return false;
  }
  if (out->lr < 0) out->lr = rates[out->optimizer];
  return true;
}
