// SPDX-License-Identifier: Apache-2.0
// The cache of programs on disk: a second process takes the binary that the first one
// left, and a damaged file is made anew. Files are replaced by renaming, so a new one has
// another inode.
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/support.h"

extern char** environ;
static char g_folder[1024];  // OPYARD_CACHE_DIR

// Computes something with one kernel, in a process of its own.
static int child(void) {
  gpu_start();
  oy_tensor* a = numbers(OY_DIMS(100), OY_DTYPE_F32, 1);
  CHECK_CALL("aten::relu", 0, oy_value_tensor(a));
  oy_tensor_release(a);
  return 0;
}

static int run_child(void) {
  char* const args[] = {"test_cache", "child", NULL};
  pid_t pid;
  int status = 0;
  assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The files of the cache: their number, and the path of the last one.
static int list_files(char* path, size_t size) {
  char folder[1100];
  int count = 0;
  snprintf(folder, sizeof(folder), "%s/" OY_PLUGIN_NAME, g_folder);
  DIR* open_folder = opendir(folder);
  if (!open_folder) return 0;
  for (struct dirent* e; (e = readdir(open_folder));) {
    if (!strstr(e->d_name, ".gpubin")) continue;
    snprintf(path, size, "%s/%s", folder, e->d_name);
    count++;
  }
  closedir(open_folder);
  return count;
}

static ino_t inode_of(const char* path, off_t* out_size) {
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  if (out_size) *out_size = about.st_size;
  return about.st_ino;
}

static void overwrite(const char* path, off_t at, const char* bytes, size_t size) {
  int file = open(path, O_WRONLY);
  assert_true(file >= 0);
  assert_int_equal(pwrite(file, bytes, size, at), (ssize_t)size);
  close(file);
}

static void gpu_cache_hit(void** state) {
  (void)state;
  char path[2048];
  assert_int_equal(run_child(), 0);
  assert_int_equal(list_files(path, sizeof(path)), 1);
  ino_t first = inode_of(path, NULL);
  assert_int_equal(run_child(), 0);
  assert_int_equal(list_files(path, sizeof(path)), 1);
  assert_int_equal(inode_of(path, NULL), first);
}

// After the damage the file is made anew, and whole: the run after that takes it. Of the
// same size it need not be: drivers add what they have compiled meanwhile.
static void check_rebuilt(const char* path, ino_t before) {
  char same[2048];
  assert_int_equal(run_child(), 0);
  assert_int_equal(list_files(same, sizeof(same)), 1);
  assert_string_equal(same, path);
  ino_t after = inode_of(path, NULL);
  assert_int_not_equal(after, before);
  assert_int_equal(run_child(), 0);
  assert_int_equal(inode_of(path, NULL), after);
}

static void gpu_cache_damage(void** state) {
  (void)state;
  char path[2048];
  off_t size;
  if (list_files(path, sizeof(path)) == 0) assert_int_equal(run_child(), 0);
  assert_int_equal(list_files(path, sizeof(path)), 1);
  ino_t before = inode_of(path, &size);
  overwrite(path, size - 100, "damaged", 7);
  check_rebuilt(path, before);
  before = inode_of(path, NULL);
  assert_int_equal(truncate(path, size / 2), 0);
  check_rebuilt(path, before);
  before = inode_of(path, NULL);
  overwrite(path, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);  // a length beyond all
  check_rebuilt(path, before);
  before = inode_of(path, NULL);
  assert_int_equal(truncate(path, 0), 0);
  check_rebuilt(path, before);
}

static void gpu_cache_nowhere(void** state) {
  (void)state;
  setenv("OPYARD_CACHE_DIR", "/proc/nowhere", 1);
  assert_int_equal(run_child(), 0);
  setenv("OPYARD_CACHE_DIR", g_folder, 1);
}

int main(int count, char** args) {
  if (count > 1 && strcmp(args[1], "child") == 0) return child();
  snprintf(g_folder, sizeof(g_folder), "%s/tests/cache-XXXXXX", OY_BINARY_DIR);
  if (!mkdtemp(g_folder)) return 1;
  setenv("OPYARD_CACHE_DIR", g_folder, 1);
  int status = run_child();
  if (status == 77) {
    rmdir(g_folder);
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_cache_hit),
      cmocka_unit_test(gpu_cache_damage),
      cmocka_unit_test(gpu_cache_nowhere),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char path[2048];
  if (list_files(path, sizeof(path)) == 1) unlink(path);
  snprintf(path, sizeof(path), "%s/" OY_PLUGIN_NAME, g_folder);
  rmdir(path);
  rmdir(g_folder);
  return failed;
}
